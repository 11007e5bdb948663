package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
)

// command runs one declared command and judges what it showed.
func (in Input) command(ctx context.Context, cmd Command, weak []writ.Finding) (writ.Check, error) {
	c := writ.Check{Name: writ.CheckCommand + cmd.Name, Findings: []writ.Finding{}}
	out, err := in.Run(ctx, cmd.Name)
	if err != nil {
		return c, fmt.Errorf("command %s: %w", cmd.Name, err)
	}
	if out.Unchecked != "" {
		c.Status, c.Detail = writ.CheckUnchecked, in.Redact(out.Unchecked)
		c.Command = &writ.CommandResult{Run: cmd.Run, SandboxLevel: out.SandboxLevel}
		return c, nil
	}
	c.Command = &out.CommandResult
	c.Findings = append(c.Findings, out.Failures...)
	c.Status, c.Curable = writ.CheckPassed, true
	if why := judge(cmd, out); why != "" {
		c.Status, c.Detail = writ.CheckFailed, in.Redact(why)
		return c, nil
	}
	if cmd.Phase == "test" && len(weak) > 0 {
		c.Status = writ.CheckFailed
		c.Detail = "tests were weakened: " + weak[0].Path + ": " + weak[0].Message
		c.Findings = append(c.Findings, weak...)
		return c, nil
	}
	if cmd.Phase == "test" && out.Tests == nil {
		c.Detail = "the number of tests cannot be read from this runner; the exit code alone decided"
	}
	return c, nil
}

// judge says why a command's run is not a pass; empty where it is one.
func judge(cmd Command, out CommandOutcome) string {
	switch {
	case out.TimedOut:
		return "ended by its time limit"
	case out.ExitCode != 0:
		return fmt.Sprintf("exit code %d", out.ExitCode) + firstFailure(out.Failures)
	case len(out.Rewrote) > 0:
		return "it rewrote sources: " + strings.Join(out.Rewrote, ", ")
	case cmd.Phase != "test" || out.Tests == nil:
		return ""
	case out.Tests.Run == 0 || out.Tests.Passed == 0 && out.Tests.Failed == 0:
		return fmt.Sprintf("no test ran (%d skipped)", out.Tests.Skipped)
	case out.Tests.Failed > 0:
		return fmt.Sprintf("%d of %d tests failed", out.Tests.Failed, out.Tests.Run) + firstFailure(out.Failures)
	default:
		return ""
	}
}

func firstFailure(failures []writ.Finding) string {
	if len(failures) == 0 {
		return ""
	}
	f := failures[0]
	if f.Path == "" {
		return ": " + f.Message
	}
	return fmt.Sprintf(": %s:%d: %s", f.Path, f.Line, f.Message)
}

// hasTests reports whether a test command is declared.
func (in Input) hasTests() bool {
	return slices.ContainsFunc(in.Commands, func(c Command) bool { return c.Phase == "test" })
}

// weakened collects the tests that the staged changes weakened, deleted test
// files among them.
func weakened(ctx context.Context, in Input) ([]writ.Finding, error) {
	if in.Weakened == nil {
		return nil, nil
	}
	var all []writ.Finding
	for _, ch := range in.Changes() {
		before, _, err := in.Overlay.Before(ctx, ch.Path)
		if err != nil {
			return nil, fmt.Errorf("read %s as it was: %w", ch.Path, err)
		}
		after, _, err := in.Overlay.Content(ctx, ch.Path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", ch.Path, err)
		}
		all = append(all, in.Weakened(ch.Path, before, after)...)
	}
	return all, nil
}
