package supervisor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/coder"
	"github.com/writ-dev/writ/internal/agents/quality"
	"github.com/writ-dev/writ/internal/agents/verifier"
)

// code runs the Coder: the plan's steps in the first round; in a repair round
// the steps that failed, then one repair over everything that was staged.
func (r *run) code(ctx context.Context) (string, error) {
	label := writ.PhaseCoding
	if r.task.Work.Round > 0 {
		label = writ.PhaseFixing
	}
	r.openPhaseLabel(label)
	p := r.task.Work.Plan
	for i := range p.Steps {
		if err := r.codeStep(ctx, p, &p.Steps[i]); err != nil {
			return "", err
		}
	}
	if r.task.Work.Round > 0 {
		if err := r.repair(ctx, p); err != nil {
			return "", err
		}
	}
	if err := r.score(ctx); err != nil {
		return "", err
	}
	r.closePhase("done")
	if err := r.move(writ.StateVerify); err != nil {
		return "", err
	}
	return phaseVerify, nil
}

// codeStep runs one step unless it is done, produces nothing, or hangs on a
// step that is not done.
func (r *run) codeStep(ctx context.Context, p *writ.Plan, s *writ.Step) error {
	if s.Status == writ.StepDone || (s.Status == writ.StepFailed && len(s.Files) == 0) {
		return nil
	}
	if len(s.Files) == 0 {
		s.Status = writ.StepDone
		return nil
	}
	if blocker := blockedBy(p, s); blocker != "" {
		s.Status, s.Error = writ.StepSkipped, "step "+blocker+" is not done"
		return nil
	}
	action := "modify"
	if r.task.Work.Round > 0 {
		action = "fix_issues"
	} else if !r.anyExists(s.Files) {
		action = "generate"
	}
	res, err := r.runStep(ctx, *s, action)
	if err != nil {
		return err
	}
	s.Attempts += res.Attempts
	s.Status, s.Error, s.ErrorCode, s.Timeout = res.Status, oneLine(r.s.d.Redact.Text(res.Error)), res.Code, res.Timeout
	return r.commit(ctx)
}

// blockedBy names a step that s depends on and that is not done.
func blockedBy(p *writ.Plan, s *writ.Step) string {
	for _, dep := range s.DependsOn {
		for _, other := range p.Steps {
			if other.ID == dep && other.Status != writ.StepDone {
				return dep
			}
		}
	}
	return ""
}

// stepResult is what came of one step.
type stepResult struct {
	coder.StepResult
	Error   string
	Timeout bool
}

// runStep gives one step to the Coder, bounded by the step's time. Errors that
// end the whole task are returned; those of the step alone are in the result.
func (r *run) runStep(ctx context.Context, s writ.Step, action string) (stepResult, error) {
	bounded, stop := context.WithTimeoutCause(ctx, r.stepTime(), errStepTime)
	defer stop()
	r.mu.Lock()
	r.denied, r.deniedCode = 0, ""
	r.mu.Unlock()
	in := writ.AgentInput{
		Task: r.task, Step: &s, Action: action, Context: r.projectNotes(ctx, s.Files),
		Workspace: r.overlay.View("coder", s.ID),
	}
	if r.task.Work.Round > 0 {
		in.Findings, in.Failures = findings(r.task.Work.Verification), verifier.Failures(r.task.Work.Verification)
		in.LastError = s.Error
	}
	res, err := coder.Step(bounded, r.runner, r.s.d.Agents["coder"], in, coder.Limits{
		Attempts: r.task.Options.Limits.StepAttempts, Staged: r.staged,
	})
	out := stepResult{StepResult: res}
	r.task.Work.Packages = union(r.task.Work.Packages, res.Packages)
	r.task.Work.NeedsReview = union(r.task.Work.NeedsReview, res.NeedsReview)
	switch {
	case err == nil && res.Err != nil:
		out.Error = res.Err.Error()
	case err == nil:
	case ctx.Err() == nil && errors.Is(context.Cause(bounded), errStepTime):
		out.Status, out.Timeout, out.Code = writ.StepFailed, true, writ.CodeToolTimeout
		out.Error = fmt.Sprintf("ended after %s (step_timeout)", r.stepTime())
		return out, nil
	default:
		return out, err
	}
	if out.Status == writ.StepFailed && r.denied > 0 {
		out.Code = r.deniedCode
	}
	return out, nil
}

// staged names what is staged for a path: operation and content, or nothing.
func (r *run) staged(path string) string {
	for _, c := range r.overlay.Changes() {
		if c.Path == path {
			return string(c.Op) + c.AfterSHA256
		}
	}
	return ""
}

// repair gives the findings of the last verification to the Coder, over all
// files of the steps that are done.
func (r *run) repair(ctx context.Context, p *writ.Plan) error {
	var files []string
	for _, s := range p.Steps {
		if s.Status == writ.StepDone {
			files = union(files, s.Files)
		}
	}
	files = union(files, r.task.Work.Extended)
	if len(files) == 0 || !verifier.NeedsEdit(r.task.Work.Verification) {
		return nil
	}
	_, err := r.runStep(ctx, writ.Step{
		ID: fmt.Sprintf("fix-%d", r.task.Work.Round), Title: "Repair what the verification found", Files: files,
		Detail: "Change only what the findings name.",
	}, "fix_issues")
	return err
}

// score grades the staged files; it never replaces a check.
func (r *run) score(ctx context.Context) error {
	var files []quality.File
	for _, c := range r.overlay.Changes() {
		content, exists, err := r.overlay.Content(ctx, c.Path)
		if err != nil {
			return fmt.Errorf("read %s: %w", c.Path, err)
		}
		if exists {
			files = append(files, quality.File{Path: c.Path, Content: content})
		}
	}
	q := quality.Score(files)
	r.task.Work.Quality = &q
	return nil
}

// anyExists reports whether one of the files is there already.
func (r *run) anyExists(files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool {
		exists, _, _, _, err := r.root.Stat(f)
		return err == nil && exists
	})
}

func (r *run) stepTime() time.Duration {
	if t := r.task.Options.Limits.StepTimeout; t > 0 {
		return t
	}
	return 5 * time.Minute
}

func findings(v writ.Verification) []writ.Finding {
	var all []writ.Finding
	for _, c := range v.Checks {
		all = append(all, c.Findings...)
	}
	return all
}

// union appends what is not there yet.
func union(have, more []string) []string {
	for _, s := range more {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(have, s) {
			have = append(have, s)
		}
	}
	return have
}
