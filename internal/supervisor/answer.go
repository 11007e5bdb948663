package supervisor

import (
	"context"
	"errors"
	"fmt"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/qa"
)

// answer lets the qa agent answer a question. Its lock set is empty.
func (r *run) answer(ctx context.Context) (string, error) {
	r.openPhaseLabel(writ.PhaseCoding)
	bounded, stop := context.WithTimeoutCause(ctx, r.stepTime(), errStepTime)
	defer stop()
	text, err := qa.Answer(bounded, r.runner, r.s.d.Agents["qa"], writ.AgentInput{
		Task: r.task, Context: r.projectNotes(ctx, nil), Workspace: r.overlay.View("qa", ""),
	})
	if err != nil {
		if ctx.Err() == nil && errors.Is(context.Cause(bounded), errStepTime) {
			return "", fmt.Errorf("the answer: %w", errStepTime)
		}
		return "", err
	}
	r.task.Work.Answer = r.s.d.Redact.Text(text)
	r.closePhase("done")
	if err := r.move(writ.StateVerify); err != nil {
		return "", err
	}
	return phaseVerify, nil
}

// verifyAnswer is the one check of a question: an answer that is not empty and
// cites files that exist.
func (r *run) verifyAnswer(ctx context.Context) (string, error) {
	files, err := r.list(ctx)
	if err != nil {
		return "", fmt.Errorf("list the workspace: %w", err)
	}
	check := qa.Check(r.task.Work.Answer, files)
	r.task.Work.Verification.Checks = []writ.Check{check}
	r.task.Work.Verification.Passed = check.Status == writ.CheckPassed
	r.emit(writ.EventVerifyCheck, "", check)
	r.emit(writ.EventVerifyFinished, "", map[string]any{"passed": r.task.Work.Verification.Passed, "round": r.task.Work.Verification.Rounds})
	if !r.task.Work.Verification.Passed {
		return r.finish(writ.OutcomeFailed, writ.ReasonVerifyExhausted, check.Detail)
	}
	if err := r.move(writ.StateDone); err != nil {
		return "", err
	}
	r.task.Outcome = writ.OutcomeSucceeded
	return phaseEnd, nil
}
