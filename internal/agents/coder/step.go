package coder

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/loop"
)

// StepResult is what came of one step: read from the staged files.
type StepResult struct {
	Status      writ.StepStatus
	Code        writ.Code // why it failed
	Err         error     // the last error, where it failed
	Attempts    int
	Changed     []string
	Notes       string
	Packages    []string
	NeedsReview []string
}

// reviewMark is how a model marks a doubt in its notes.
const reviewMark = "[NEEDS_REVIEW]"

// Limits bound a step and tell what it did. Staged names what is staged for a
// path, so that two equal texts mean no change: a person's own edit of the file
// is not the step's.
type Limits struct {
	Attempts int // at least 1
	Staged   func(path string) string
}

// Step gives one step to the Coder, at most Attempts times, until an attempt
// changed one of its files and ended. What the model alone can mend (a loop, a
// limit, no change) is in the result; any other error is returned.
func Step(ctx context.Context, runner *loop.Runner, agent writ.Agent, in writ.AgentInput, limits Limits) (StepResult, error) {
	var res StepResult
	first := in.LastError
	for attempt := 1; attempt <= max(1, limits.Attempts); attempt++ {
		res.Attempts = attempt
		in.Attempt = attempt
		if attempt > 1 {
			in.LastError = res.Err.Error()
			runner.Retried(agent.Spec().Name, phase(in.Action), attempt, in.LastError)
		} else {
			in.LastError = first
		}
		err := runOnce(ctx, runner, agent, in, limits.Staged, &res)
		if err == nil {
			res.Status, res.Code, res.Err = writ.StepDone, "", nil
			return res, nil
		}
		if !mendable(ctx, err) {
			return res, err
		}
		res.Status, res.Code, res.Err = writ.StepFailed, writ.CodeOf(err), err
	}
	return res, nil
}

func phase(action string) string {
	if action == ActionFix {
		return writ.PhaseFixing.String()
	}
	return writ.PhaseCoding.String()
}

// mendable reports whether another attempt may help: the model did something
// wrong, not the world around it.
func mendable(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	var e *writ.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case writ.CodeLimitReached, writ.CodeLoopDetected, writ.CodeSchemaInvalid, codeNoChange:
		return true
	default:
		return false
	}
}

// codeNoChange marks an attempt that changed none of the step's files.
const codeNoChange writ.Code = "NO_CHANGES"

// runOnce makes one attempt and looks at what it did to the step's files.
func runOnce(ctx context.Context, runner *loop.Runner, agent writ.Agent, in writ.AgentInput, staged func(string) string, res *StepResult) error {
	before := snapshot(in.Step.Files, staged)
	out, err := runner.Run(ctx, agent, in)
	if err != nil {
		return err
	}
	if batch, ok := asFiles(out.Text); ok {
		if err := writeBatch(ctx, runner, agent.Spec(), in, batch); err != nil {
			return err
		}
		res.Packages = append(res.Packages, batch.Dependencies...)
		out.Text = batch.Summary + "\n" + batch.Notes
	}
	res.Notes = strings.TrimSpace(out.Text)
	res.NeedsReview = marked(res.Notes)
	res.Changed = nil
	for _, path := range in.Step.Files {
		if before[path] != staged(path) {
			res.Changed = append(res.Changed, path)
		}
	}
	if len(res.Changed) == 0 {
		return &writ.Error{Code: codeNoChange, Msg: fmt.Sprintf("no file of the step was changed; expected a change in %s", strings.Join(in.Step.Files, ", "))}
	}
	return nil
}

func snapshot(files []string, staged func(string) string) map[string]string {
	out := make(map[string]string, len(files))
	for _, path := range files {
		out[path] = staged(path)
	}
	return out
}

// marked lists the lines of the notes that carry a doubt.
func marked(notes string) []string {
	var out []string
	for line := range strings.Lines(notes) {
		if strings.Contains(line, reviewMark) {
			out = append(out, strings.TrimSpace(strings.ReplaceAll(line, reviewMark, "")))
		}
	}
	return out
}
