package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
)

// Overlay shows a task's files: as they would be, and as they were before it.
type Overlay interface {
	Content(ctx context.Context, path string) (content []byte, exists bool, err error)
	Before(ctx context.Context, path string) (content []byte, exists bool, err error)
}

// Command is one declared command.
type Command struct {
	Name     string
	Phase    string // build, lint or test
	Run      []string
	Required bool
}

// CommandOutcome is what a run of a command showed.
type CommandOutcome struct {
	writ.CommandResult
	Unchecked string // why it could not be run here; empty where it was
	TimedOut  bool
	Rewrote   []string       // existing files outside the lock set that it changed or removed
	Failures  []writ.Finding // failing tests and compile errors that its output names
}

// Input is what a verification works on. Weakened may be nil.
type Input struct {
	Plan     *writ.Plan
	Changes  func() []writ.Change // the manifest as it now is
	Overlay  Overlay
	Syntax   func(ctx context.Context, path string, content []byte) writ.Syntax
	Commands []Command
	Run      func(ctx context.Context, name string) (CommandOutcome, error)
	Require  []string // governance.require
	Emit     func(writ.Check)
	Redact   func(string) string
	// Weakened finds tests that a change skipped, emptied or removed.
	Weakened func(path string, before, after []byte) []writ.Finding
}

// Verify runs every check that has a subject. The commands come first, since
// what they write to locked files is staged and judged with the rest. The
// error is for a world that cannot be read, never for a check that failed.
func Verify(ctx context.Context, in Input) (writ.Verification, error) {
	v := writ.Verification{}
	weak, err := weakened(ctx, in)
	if err != nil {
		return v, err
	}
	var commands []writ.Check
	for _, cmd := range in.Commands {
		c, err := in.command(ctx, cmd, weak)
		if err != nil {
			return v, err
		}
		commands = append(commands, c)
		in.Emit(c)
	}
	files, err := in.files(ctx, weak)
	if err != nil {
		return v, err
	}
	v.Checks = append(v.Checks, files)
	in.Emit(files)
	syntax, unchecked, err := in.syntax(ctx)
	if err != nil {
		return v, err
	}
	v.Unchecked = unchecked
	if syntax != nil {
		v.Checks = append(v.Checks, *syntax)
		in.Emit(*syntax)
	}
	v.Checks = append(v.Checks, commands...)
	for _, c := range in.missing() {
		v.Checks = append(v.Checks, c)
		in.Emit(c)
	}
	v.Passed = in.passed(v.Checks)
	return v, nil
}

// passed reports whether all that the policy requires has passed.
func (in Input) passed(checks []writ.Check) bool {
	for _, c := range checks {
		if c.Status != writ.CheckPassed && in.required(c.Name) {
			return false
		}
	}
	return true
}

// required reports whether DONE needs the check.
func (in Input) required(name string) bool {
	if command, ok := strings.CutPrefix(name, writ.CheckCommand); ok {
		i := slices.IndexFunc(in.Commands, func(c Command) bool { return c.Name == command })
		return slices.Contains(in.Require, "commands") && i >= 0 && in.Commands[i].Required
	}
	return slices.Contains(in.Require, name)
}

// missing are the checks that the policy demands and that nobody here can run
// yet: they stay unchecked, so a task that needs them is not DONE.
func (in Input) missing() []writ.Check {
	var out []writ.Check
	for _, name := range []string{writ.CheckTests, writ.CheckReview} {
		if slices.Contains(in.Require, name) {
			out = append(out, writ.Check{Name: name, Status: writ.CheckUnchecked, Detail: "governance.require names it, and this version has no such agent", Findings: []writ.Finding{}})
		}
	}
	return out
}

// CanRepair reports whether an edit could cure a check that did not pass.
func CanRepair(v writ.Verification) bool {
	return slices.ContainsFunc(v.Checks, func(c writ.Check) bool { return c.Status == writ.CheckFailed && c.Curable })
}

// NeedsEdit reports whether a check failed for the content of files, beyond
// steps that are not done.
func NeedsEdit(v writ.Verification) bool {
	return slices.ContainsFunc(v.Checks, func(c writ.Check) bool {
		return c.Status == writ.CheckFailed && c.Curable && (c.Name != writ.CheckFiles || len(c.Findings) > 0 || c.Detail != "" && !strings.HasPrefix(c.Detail, stepPrefix))
	})
}

// The bounds of what a repair prompt gets of one failure.
const (
	failureHead = 600
	failureTail = 1800
)

// Failures describes each check that did not pass, cut for a prompt.
func Failures(v writ.Verification) []string {
	var out []string
	for _, c := range v.Checks {
		if c.Status == writ.CheckPassed {
			continue
		}
		text := fmt.Sprintf("%s %s: %s", c.Name, c.Status, c.Detail)
		if c.Command != nil && c.Command.Output != "" {
			text += fmt.Sprintf("\n$ %s\nexit code %d\n%s", strings.Join(c.Command.Run, " "), c.Command.ExitCode, headAndTail(c.Command.Output))
		}
		out = append(out, text)
	}
	return out
}

func headAndTail(s string) string {
	if len(s) <= failureHead+failureTail {
		return s
	}
	return strings.ToValidUTF8(s[:failureHead], "") + "\n[cut]\n" + strings.ToValidUTF8(s[len(s)-failureTail:], "")
}
