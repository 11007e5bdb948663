package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
)

// printSummary is the end of a run for a person: what came of it, which files,
// which checks, what it used, and what to do next.
func printSummary(w io.Writer, r *writ.Report, color bool) {
	if r.Answer != "" {
		fmt.Fprintln(w, show.Escape(r.Answer))
	}
	if r.TaskType != writ.TypeQA || r.Outcome != writ.OutcomeSucceeded {
		fmt.Fprintf(w, "\n%s  %s%s\n", paint(verdict(r), r.Outcome == writ.OutcomeSucceeded, color), r.TaskID, reasonText(r))
	}
	if len(r.Changes) == 0 && len(r.Plan.Steps) > 0 {
		printPlan(w, r)
	}
	printChanges(w, r)
	for _, c := range r.Verification.Checks {
		fmt.Fprintf(w, "  check   %-16s %s%s\n", c.Name, c.Status, detailText(c))
	}
	if n := len(r.Verification.Unchecked); n > 0 {
		fmt.Fprintf(w, "  no checker for %s\n", show.Line(strings.Join(r.Verification.Unchecked, ", ")))
	}
	for _, d := range r.Denials {
		fmt.Fprintf(w, "  denied  %s %s (%s)\n", d.Code, show.Line(d.Path), show.Line(d.Agent))
	}
	for _, d := range r.Degradations {
		fmt.Fprintf(w, "  degraded  %s: %s stood in for %s (%s)\n", show.Line(d.Agent), show.Line(d.StoodIn), show.Line(orNone(d.Wanted)), show.Line(d.Why))
	}
	fmt.Fprintf(w, "  used    %s\n", usageText(r))
	if r.Delivery.Branch != "" {
		fmt.Fprintf(w, "  branch  %s\n", show.Line(r.Delivery.Branch))
	}
	if r.Delivery.Error != "" {
		fmt.Fprintf(w, "  delivery failed: %s\n", show.Line(r.Delivery.Error))
	}
	if next := nextText(r); next != "" {
		fmt.Fprintf(w, "  next    %s\n", next)
	}
}

func verdict(r *writ.Report) string { return r.State.String() + " " + r.Outcome.String() }

func reasonText(r *writ.Report) string {
	if r.Reason.Code == "" {
		return ""
	}
	return fmt.Sprintf("  %s: %s", r.Reason.Code, show.Line(r.Reason.Message))
}

func printPlan(w io.Writer, r *writ.Report) {
	for _, s := range r.Plan.Steps {
		fmt.Fprintf(w, "  step    %s %-8s %s  %s\n", show.Line(s.ID), s.Status, show.Line(s.Title), show.Line(strings.Join(s.Files, " ")))
	}
}

// printChanges lists the changes with what became of each.
func printChanges(w io.Writer, r *writ.Report) {
	for _, c := range r.Changes {
		fmt.Fprintf(w, "  %-9s %-7s %s  +%d -%d\n", c.Status, c.Op, show.Line(c.Path), c.Additions, c.Deletions)
	}
}

func detailText(c writ.Check) string {
	text := ""
	if c.Detail != "" {
		text = "  " + show.Line(cut(c.Detail, 200))
	}
	if c.Command != nil {
		text += fmt.Sprintf("  (exit %d, %.1fs, sandbox level %d", c.Command.ExitCode, float64(c.Command.DurationMS)/1000, c.Command.SandboxLevel)
		if t := c.Command.Tests; t != nil {
			text += fmt.Sprintf(", %d tests: %d passed, %d failed, %d skipped", t.Run, t.Passed, t.Failed, t.Skipped)
		}
		text += ")"
	}
	return text
}

func usageText(r *writ.Report) string {
	u := r.Usage
	text := fmt.Sprintf("%d requests, %d tokens in (%d cached), %d out", u.Requests, u.InputTokens, u.CachedInputTokens, u.OutputTokens)
	if u.Estimated {
		text += ", estimated"
	}
	if u.CostUSD != nil {
		text += fmt.Sprintf(", $%.4f", *u.CostUSD)
	} else {
		text += ", cost unknown"
	}
	if r.DurationMS > 0 {
		text += ", " + (time.Duration(r.DurationMS) * time.Millisecond).Round(100*time.Millisecond).String()
	}
	return text
}

// nextText says what a person would do now.
func nextText(r *writ.Report) string {
	staged := false
	for _, c := range r.Changes {
		staged = staged || c.Status == writ.ChangeStaged
	}
	switch {
	case r.Hold != nil:
		return "writ task answer " + r.TaskID + " " + strings.Join(r.Hold.Options, "|") + ", then writ task resume " + r.TaskID
	case r.Reason.Code == writ.ReasonRulesOnly && !staged:
		return "name a model: writ init, or --base-url and --model with the key in the environment"
	case staged:
		return "writ changes shows them; writ apply, or writ discard"
	default:
		return ""
	}
}

func orNone(s string) string {
	if s == "" {
		return "no model"
	}
	return s
}

func paint(s string, good, color bool) string {
	if !color {
		return s
	}
	code := "31"
	if good {
		code = "32"
	}
	return "\x1b[1;" + code + "m" + s + "\x1b[0m"
}
