package supervisor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
	"github.com/writ-dev/writ/internal/supervisor/staging"
)

// Act is what a person does with staged or applied changes.
type Act string

// The acts.
const (
	ActApply   Act = "apply"
	ActDiscard Act = "discard"
	ActUndo    Act = "undo"
)

// String returns the act's verb.
func (a Act) String() string { return string(a) }

// Act applies, discards or undoes changes of a task that ended: all of them,
// or those of the given paths. A file that a person changed since is left
// alone and listed as STALE_FILE; the others are done. It returns the report
// as it then stands, and an *writ.Error of code STALE_FILE where a file was
// left alone. A task that still runs is STATE_ILLEGAL.
func (s *Supervisor) Act(ctx context.Context, taskID string, act Act, paths []string) (*writ.Report, error) {
	r, err := s.open(ctx, taskID)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if !r.task.State.Final() {
		return nil, &writ.Error{Code: writ.CodeStateIllegal, Msg: "task " + r.task.ID + " is not over", Hint: "cancel it first, or answer its hold"}
	}
	var out staging.Outcome
	switch act {
	case ActApply:
		out, err = r.applyByHand(ctx, paths)
	case ActDiscard:
		out, err = r.applier.Discard(ctx, r.task.ID, paths)
	case ActUndo:
		out, err = r.applier.Undo(ctx, r.task.ID, paths)
	default:
		return nil, fmt.Errorf("no act %q", act)
	}
	if err != nil {
		return nil, err
	}
	for _, d := range out.Denials {
		r.deny(writ.Denial{Code: d.Code, Path: d.Path, Agent: "person", Tool: act.String()}, d.Error())
	}
	if err := r.saveReport(ctx); err != nil {
		return nil, err
	}
	report, err := s.Report(ctx, r.task.ID)
	if err != nil {
		return nil, err
	}
	return report, leftAlone(act, out)
}

// leftAlone says which files an act did not touch.
func leftAlone(act Act, out staging.Outcome) error {
	switch {
	case len(out.Stale) > 0:
		return &writ.Error{Code: writ.CodeStaleFile, Op: act.String(), Msg: "changed since and left alone: " + strings.Join(out.Stale, ", "), Hint: "look at them, then run the task again"}
	case len(out.Failed) > 0:
		return out.Denials[0]
	case len(out.Unknown) > 0:
		return &writ.Error{Code: writ.CodeUsage, Op: act.String(), Msg: "no change of this task: " + strings.Join(out.Unknown, ", "), Hint: "writ changes lists them"}
	default:
		return nil
	}
}

// applyByHand applies what is staged. A protected path is written only with
// the approval of its exact content.
func (r *run) applyByHand(ctx context.Context, paths []string) (staging.Outcome, error) {
	for _, c := range r.overlay.Changes() {
		if _, ok := r.root.Protected(c.Path); ok && !r.granted(c) && (len(paths) == 0 || slices.Contains(paths, c.Path)) {
			return staging.Outcome{}, &writ.Error{Code: writ.CodeProtectedPath, Path: c.Path, Msg: c.Path + " is protected and was not approved", Hint: "apply the other files with --path, or discard this one"}
		}
	}
	return r.applier.Apply(ctx, r.task.ID, paths)
}

func (r *run) granted(c writ.Change) bool {
	for _, g := range r.task.Work.Granted {
		if g.Path == c.Path && g.SHA256 == c.AfterSHA256 {
			return true
		}
	}
	return false
}

// saveReport stores the report of a task that was acted upon.
func (r *run) saveReport(ctx context.Context) error {
	changes, err := r.s.d.Store.Changes(ctx, r.task.ID)
	if err != nil {
		return fmt.Errorf("read the changes: %w", err)
	}
	report := buildReport(r.task, changes, nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.commitLocked(ctx, func(tx *store.Tx) error { return tx.PutReport(r.task.ID, report) })
}

// Cancel ends a task that waits or was interrupted. A task that runs in
// another process is ended there.
func (s *Supervisor) Cancel(ctx context.Context, taskID string) (*writ.Report, error) {
	r, err := s.open(ctx, taskID)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if r.task.State.Final() {
		return nil, &writ.Error{Code: writ.CodeStateIllegal, Msg: "task " + r.task.ID + " is over already"}
	}
	next, err := r.finish(writ.OutcomeCancelled, writ.ReasonUser, "cancelled by a person; the staged changes are kept")
	if err != nil {
		return nil, err
	}
	r.task.Work.Next = next
	if _, err := r.end(ctx); err != nil {
		return nil, err
	}
	return s.Report(ctx, r.task.ID)
}

// Diff renders a task's changes as one unified diff with the files' own bytes.
func (s *Supervisor) Diff(ctx context.Context, taskID string, paths []string) (string, error) {
	t, err := s.d.Store.Task(ctx, taskID)
	if err != nil {
		return "", err
	}
	root, err := s.openRoot(t.Workspace)
	if err != nil {
		return "", err
	}
	defer root.Close()
	applier, err := s.applierFor(root)
	if err != nil {
		return "", err
	}
	return applier.Diff(ctx, t.ID, paths)
}
