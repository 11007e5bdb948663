package supervisor

import (
	"context"
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/verifier"
)

// verify runs every check on the overlay and decides: on to DONE, back to EXEC
// with the findings, or the end.
func (r *run) verify(ctx context.Context) (string, error) {
	v := &r.task.Work.Verification
	v.Rounds++
	r.emit(writ.EventVerifyStarted, "", map[string]any{"round": v.Rounds})
	if r.task.Type == writ.TypeQA {
		return r.verifyAnswer(ctx)
	}
	if r.hasCommands() {
		r.openPhaseLabel(writ.PhaseTesting)
	}
	if err := r.commit(ctx); err != nil {
		return "", err
	}
	result, err := verifier.Verify(ctx, verifier.Input{
		Plan: r.task.Work.Plan, Changes: r.overlay.Changes, Overlay: r.overlay, Syntax: r.s.d.Syntax,
		Commands: r.commands(), Run: r.commandForCheck, Require: r.s.d.Config.Governance.Require,
		Emit: func(c writ.Check) { r.checked(ctx, c) }, Redact: r.s.d.Redact.Text,
	})
	if err != nil {
		return "", fmt.Errorf("verify: %w", err)
	}
	result.Rounds = v.Rounds
	*v = result
	r.gateQuality(v)
	r.emit(writ.EventVerifyFinished, "", map[string]any{"passed": v.Passed, "round": v.Rounds})
	r.closePhase(map[bool]string{true: "done", false: "failed"}[v.Passed])
	return r.decide(v)
}

// checked publishes a verdict as soon as it is there.
func (r *run) checked(ctx context.Context, c writ.Check) {
	r.emit(writ.EventVerifyCheck, "", c)
	// A store that fails here fails at the end of the phase too, where the
	// error is returned.
	_ = r.commit(ctx)
}

// gateQuality lets a low quality score block, where the policy says so.
func (r *run) gateQuality(v *writ.Verification) {
	g, q := r.s.d.Config.Governance, r.task.Work.Quality
	if q == nil || g.QualityGate != "block" || q.Score >= g.QualityMin {
		return
	}
	v.Passed = false
	for i := range v.Checks {
		if v.Checks[i].Name == writ.CheckFiles {
			v.Checks[i].Status, v.Checks[i].Curable = writ.CheckFailed, true
			v.Checks[i].Detail = fmt.Sprintf("quality score %d is below %d: %s", q.Score, g.QualityMin, strings.Join(q.Warnings, "; "))
		}
	}
}

// decide takes the verdict to the next phase.
func (r *run) decide(v *writ.Verification) (string, error) {
	switch {
	case len(r.overlay.Changes()) == 0:
		return r.nothingStaged()
	case v.Passed:
		return phaseFinalize, nil
	case !verifier.CanRepair(*v):
		return r.finish(writ.OutcomeFailed, writ.ReasonVerifyExhausted, "no edit can cure it: "+firstFailure(*v))
	case r.task.Work.Round >= r.task.Options.Limits.VerifyRetry:
		return r.finish(writ.OutcomeFailed, writ.ReasonVerifyExhausted, firstFailure(*v))
	}
	r.task.Work.Round++
	if err := r.move(writ.StateExec); err != nil {
		return "", err
	}
	return phaseCode, nil
}

// nothingStaged ends a task that was to change files and changed none: refused
// acts, a step's time, or nothing at all.
func (r *run) nothingStaged() (string, error) {
	denied, timeout, producing := 0, 0, 0
	var codes []string
	for _, s := range r.task.Work.Plan.Steps {
		if s.Status == writ.StepSkipped || (len(s.Files) == 0 && len(s.Refused) == 0) {
			continue
		}
		producing++
		if s.Timeout {
			timeout++
		} else if writ.Lookup(s.ErrorCode).Denial {
			denied++
			codes = union(codes, []string{string(s.ErrorCode)})
		}
	}
	switch {
	case producing > 0 && timeout == producing:
		return r.finish(writ.OutcomeFailed, writ.ReasonTimeout, "every step was ended by step_timeout")
	case producing > 0 && denied == producing:
		return r.finish(writ.OutcomeFailed, writ.ReasonDenied, "every act was refused: "+strings.Join(codes, ", "))
	default:
		return r.finish(writ.OutcomeFailed, writ.ReasonNoChanges, "a model answered, but nothing on disk would change"+r.firstStepError())
	}
}

func (r *run) firstStepError() string {
	for _, s := range r.task.Work.Plan.Steps {
		if s.Status == writ.StepFailed && s.Error != "" {
			return ": " + s.Error
		}
	}
	return ""
}

// firstFailure is the first check that did not pass, in one line.
func firstFailure(v writ.Verification) string {
	for _, c := range v.Checks {
		if c.Status != writ.CheckPassed {
			return c.Name + " " + c.Status.String() + ": " + c.Detail
		}
	}
	return "the verification did not pass"
}
