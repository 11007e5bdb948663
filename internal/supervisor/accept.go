package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
	"github.com/writ-dev/writ/internal/tools/guard"
)

// subjectPlan is the subject of a hold on a whole plan.
const subjectPlan = "plan"

// accept judges every planned path, asks for the approval where one is wanted,
// and sets the lock set: PLAN to EXEC.
func (r *run) accept(ctx context.Context) (string, error) {
	p := r.task.Work.Plan
	r.judgePlan(ctx, p)
	if !slices.ContainsFunc(p.Steps, func(s writ.Step) bool { return s.Status == writ.StepPending && len(s.Files) > 0 }) {
		return r.nothingPlanned(p)
	}
	next, err := r.approvePlan(ctx, p)
	if err != nil {
		return r.waitOr(err)
	}
	if next != "" {
		return next, nil
	}
	files := p.Files()
	slices.Sort(files)
	if err := r.takeLocks(ctx, files); err != nil {
		return "", err
	}
	r.emit(writ.EventPlanAccepted, "planner", map[string]any{"plan": p})
	r.emit(writ.EventLockSet, "", map[string]any{"files": files})
	if err := r.move(writ.StateExec); err != nil {
		return "", err
	}
	return phaseCode, nil
}

// nothingPlanned ends a task whose plan names no file that may be written.
func (r *run) nothingPlanned(p *writ.Plan) (string, error) {
	for _, s := range p.Steps {
		if len(s.Refused) > 0 {
			return r.finish(writ.OutcomeFailed, writ.ReasonDenied, "every planned file was refused: "+strings.Join(s.Refused, ", "))
		}
	}
	return r.finish(writ.OutcomeFailed, writ.ReasonNoChanges, "the plan names no file to change; name the files in the request")
}

// judgePlan takes refused paths out of the plan, each with its denial. A step
// that is left without a path fails as denied. Judging twice changes nothing.
func (r *run) judgePlan(ctx context.Context, p *writ.Plan) {
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Status != writ.StepPending || len(s.Files) == 0 {
			continue
		}
		kept, code := make([]string, 0, len(s.Files)), writ.Code("")
		for _, f := range s.Files {
			rel, err := r.judgePlanned(ctx, f)
			if err == nil {
				if !slices.Contains(kept, rel) {
					kept = append(kept, rel)
				}
				continue
			}
			code = writ.CodeOf(err)
			s.Refused = append(s.Refused, r.s.d.Redact.Text(f))
			r.deny(writ.Denial{Code: code, Path: f, Agent: "planner"}, err.Error())
		}
		s.Files = kept
		if len(kept) == 0 {
			s.Status, s.ErrorCode, s.Error = writ.StepFailed, code, "every file of the step was refused"
		}
	}
}

// judgePlanned judges one planned path: its name, what stands there on disk,
// and the protected list, which only a person who can be asked may lift.
func (r *run) judgePlanned(ctx context.Context, path string) (string, error) {
	g := guard.Guard{Root: r.root, Locks: r.locks, Grants: func(string, string) bool { return r.canAsk() }}
	return g.JudgePlan(ctx, path)
}

// canAsk reports whether a person may be asked for a protected path.
func (r *run) canAsk() bool { return !r.task.Options.NoInput && !r.task.Options.Yes }

// mayStage lets a protected path be staged where the plan names it and a
// person can be asked: the approval of its exact content comes before it is
// applied.
func (r *run) mayStage(rel, _ string) bool {
	return r.locks.Has(rel) && r.canAsk()
}

// approvePlan asks for the plan's approval where it is wanted. It returns the
// next phase where the answer was not a plain yes.
func (r *run) approvePlan(ctx context.Context, p *writ.Plan) (string, error) {
	if !r.task.Options.ApprovePlan && !r.task.Options.PlanOnly && r.s.d.Config.Governance.PlanApproval != "always" {
		return "", nil
	}
	body, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("encode the plan: %w", err)
	}
	h, err := r.ask(ctx, question{
		kind: writ.HoldApproval, subject: subjectPlan, sha: hashText(string(body)),
		text:    fmt.Sprintf("approve the plan %q: %d steps, files %s?", p.Summary, len(p.Steps), strings.Join(p.Files(), ", ")),
		options: []string{answerApprove, answerReject, answerRevise + " TEXT"}, onYes: answerApprove,
	})
	if err != nil {
		return "", err
	}
	switch {
	case h.Answer == answerApprove:
		return "", nil
	case strings.HasPrefix(h.Answer, answerRevise):
		r.task.Work.Revision = strings.TrimSpace(strings.TrimPrefix(h.Answer, answerRevise))
		if err := r.move(writ.StatePlan); err != nil {
			return "", err
		}
		return phasePlan, nil
	default:
		return r.finish(writ.OutcomeCancelled, writ.ReasonUser, "the plan was rejected")
	}
}

// takeLocks locks the files for this task alone. While a live or a waiting task
// holds one of them, it waits and says why; the locks of a task whose process
// died are released.
func (r *run) takeLocks(ctx context.Context, files []string) error {
	said := ""
	for {
		err := r.s.d.Store.Write(ctx, func(tx *store.Tx) error { return tx.LockPaths(r.task.ID, r.task.Workspace, files) })
		var held *store.LockedError
		if err == nil {
			break
		}
		if !errors.As(err, &held) {
			return fmt.Errorf("lock the files: %w", err)
		}
		if freed, err := r.s.freeDead(ctx, held.TaskID); err != nil {
			return err
		} else if freed {
			continue
		}
		if said != held.TaskID {
			said = held.TaskID
			r.emit(writ.EventLockSet, "", map[string]any{"files": files, "waiting": held.Error()})
			if err := r.commit(ctx); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lockPoll):
		}
	}
	for _, f := range files {
		r.locks.Add(f)
	}
	r.task.Work.LockSet = files
	return nil
}

// lockPoll is how often a task that waits for another one's files looks again.
const lockPoll = 200 * time.Millisecond

// freeDead releases the locks of a task that no process drives and that waits
// on no hold: its process died. It keeps its changes and can be resumed.
func (s *Supervisor) freeDead(ctx context.Context, taskID string) (bool, error) {
	if s.Live(taskID) {
		return false, nil
	}
	report, err := s.Report(ctx, taskID)
	if err != nil || report.Hold != nil {
		return false, err
	}
	err = s.d.Store.Write(ctx, func(tx *store.Tx) error { return tx.UnlockPaths(taskID) })
	return err == nil, err
}
