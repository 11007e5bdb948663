package supervisor

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// The phase functions by name, as Task.Work.Next records them.
const (
	phaseIntake   = "intake"
	phasePlan     = "plan"
	phaseAccept   = "accept"
	phaseCode     = "code"
	phaseAnswer   = "answer"
	phaseVerify   = "verify"
	phaseFinalize = "finalize"
	phaseDeliver  = "deliver"
	phaseEnd      = "end"
)

// phases maps each name to its function. A phase function reads the task and
// what is persisted beside it, and returns the name of the next one.
func phases() map[string]func(*run, context.Context) (string, error) {
	return map[string]func(*run, context.Context) (string, error){
		phaseIntake: (*run).intake, phasePlan: (*run).plan, phaseAccept: (*run).accept,
		phaseCode: (*run).code, phaseAnswer: (*run).answer, phaseVerify: (*run).verify,
		phaseFinalize: (*run).finalize, phaseDeliver: (*run).deliver, phaseEnd: (*run).end,
	}
}

// Causes with which a drive's context ends.
var (
	// ErrCancelled is the cause of a context that a person or a signal ended.
	ErrCancelled = errors.New("cancelled by a person")
	errTaskTime  = errors.New("the task's time is used up")
	errStepTime  = errors.New("the step's time is used up")
	errRejected  = errors.New("a person rejected it")
)

// Drive runs the task until it ends or waits on a hold, and returns its report
// as it then stands. The report's Hold is set where it waits. Cancelling ctx
// with [ErrCancelled] as cause ends the task CANCELLED, reason user. An error
// is returned only where nothing could be recorded any more.
func (s *Supervisor) Drive(ctx context.Context, taskID string) (*writ.Report, error) {
	r, err := s.open(ctx, taskID)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if err := r.expireHold(ctx); err != nil {
		return nil, err
	}
	table := phases()
	for r.task.Work.Next != "" {
		fn := table[r.task.Work.Next]
		if fn == nil {
			return nil, fmt.Errorf("task %s: no phase %q in this version", r.task.ID, r.task.Work.Next)
		}
		bounded, stop := r.withTaskTime(ctx)
		next, err := r.guarded(bounded, fn)
		if err != nil {
			next, err = r.classify(bounded, err)
		}
		stop()
		if err != nil {
			return nil, err
		}
		if next == waiting {
			return r.park(ctx)
		}
		r.task.Work.Next = next
		if err := r.commit(ctx); err != nil {
			return nil, err
		}
	}
	return s.Report(context.WithoutCancel(ctx), taskID)
}

// waiting is the pseudo-phase of a task that stays where it is until its hold
// is answered.
const waiting = "\x00waiting"

// guarded runs a phase function and turns a panic into an error, so that one
// task's fault never reaches another.
func (r *run) guarded(ctx context.Context, fn func(*run, context.Context) (string, error)) (next string, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.s.logPanic(r.task.ID, p, debug.Stack())
			err = &writ.Error{Code: writ.CodeInternal, Op: "run phase " + r.task.Work.Next, Msg: fmt.Sprintf("a fault in Writ: %v", p)}
		}
	}()
	if ctx.Err() != nil && r.task.Work.Next != phaseEnd {
		return "", context.Cause(ctx)
	}
	return fn(r, ctx)
}

// classify decides what an error of a phase means for the task.
func (r *run) classify(ctx context.Context, err error) (string, error) {
	var hold *holdError
	var model *writ.ModelError
	cause := context.Cause(ctx)
	switch {
	case errors.As(err, &hold):
		return waiting, nil
	case errors.Is(err, errRejected):
		return r.finish(writ.OutcomeCancelled, writ.ReasonUser, err.Error())
	case errors.Is(cause, errTaskTime):
		return r.overBudget(ctx, "time", fmt.Sprintf("the task's time of %s is used up", r.task.Options.Limits.TaskTimeout))
	case ctx.Err() != nil:
		return r.finish(writ.OutcomeCancelled, writ.ReasonUser, "cancelled; the staged changes are kept")
	case writ.CodeOf(err) == writ.CodeBudgetExceeded:
		return r.overBudget(ctx, r.meter.subject(), err.Error())
	case errors.As(err, &model):
		return r.finish(writ.OutcomeFailed, writ.ReasonProviderUnavailable, model.Error())
	case errors.Is(err, errStepTime):
		return r.finish(writ.OutcomeFailed, writ.ReasonTimeout, err.Error())
	default:
		r.emit(writ.EventError, "", map[string]any{"code": writ.CodeOf(err), "phase": r.task.Phase, "message": err.Error()})
		return r.finish(writ.OutcomeFailed, writ.ReasonInternal, err.Error())
	}
}

// finish sets how the task ends and takes it to CANCELLED, unless it is past
// that. What was staged stays staged.
func (r *run) finish(o writ.Outcome, code writ.ReasonCode, msg string) (string, error) {
	r.task.Outcome = o
	r.task.Reason = writ.Reason{Code: code, Message: r.s.d.Redact.Text(oneLine(msg)), Phase: r.failedIn()}
	r.closePhase("failed")
	if !r.task.State.Final() {
		if err := r.move(writ.StateCancelled); err != nil {
			return "", err
		}
	}
	return phaseEnd, nil
}

// failedIn is the label of the phase in which a failure happened: the open
// one, else the last that ran.
func (r *run) failedIn() writ.Phase {
	if r.task.Phase != writ.PhaseIdle {
		return r.task.Phase
	}
	if n := len(r.task.Work.Phases); n > 0 {
		return r.task.Work.Phases[n-1].Name
	}
	return writ.PhaseIdle
}

// end releases what the task held, writes its report and signs a checkpoint.
// It runs to its end even when the drive's context is over.
func (r *run) end(ctx context.Context) (string, error) {
	ctx = context.WithoutCancel(ctx)
	if len(r.task.Work.LockSet) > 0 {
		r.emit(writ.EventLockReleased, "", map[string]any{"files": r.task.Work.LockSet})
	}
	r.locks.Clear()
	r.task.Work.LockSet = nil
	r.task.Phase = writ.PhaseIdle
	r.task.EndedAt = r.s.d.Now().UTC()
	r.task.Work.Next = ""
	report := buildReport(r.task, r.overlay.Changes(), nil)
	r.emit(writ.EventTaskReport, "", report)
	err := r.ledger.Commit(ctx, func(tx *store.Tx) error {
		if err := tx.UnlockPaths(r.task.ID); err != nil {
			return err
		}
		if err := tx.PutReport(r.task.ID, report); err != nil {
			return err
		}
		return tx.SaveTask(r.task)
	})
	if err != nil {
		return "", fmt.Errorf("record the end: %w", err)
	}
	if err := r.s.d.Audit.Checkpoint(ctx); err != nil {
		return "", fmt.Errorf("sign the checkpoint: %w", err)
	}
	return "", nil
}
