package supervisor

import (
	"context"
	"fmt"

	"github.com/writ-dev/writ"
)

// Report returns a task's report as it now stands: the same object that a run
// prints last.
func (s *Supervisor) Report(ctx context.Context, taskID string) (*writ.Report, error) {
	t, err := s.d.Store.Task(ctx, taskID)
	if err != nil {
		return nil, err
	}
	changes, err := s.d.Store.Changes(ctx, t.ID)
	if err != nil {
		return nil, fmt.Errorf("read the changes: %w", err)
	}
	holds, err := s.d.Store.Holds(ctx, t.ID)
	if err != nil {
		return nil, fmt.Errorf("read the holds: %w", err)
	}
	var open *writ.Hold
	for i := range holds {
		if holds[i].Open() && !t.State.Final() {
			open = &holds[i]
		}
	}
	return buildReport(t, changes, open), nil
}

// buildReport is pure: the persisted task, its changes and its open hold in,
// the contract's object out. Lists are never null.
func buildReport(t *writ.Task, changes []writ.Change, hold *writ.Hold) *writ.Report {
	r := &writ.Report{
		Type: "task.report", TaskID: t.ID, TaskType: t.Type, State: t.State, Outcome: t.Outcome, Reason: t.Reason,
		Degraded: t.Work.Degraded(), Degradations: filled(t.Work.Degradations), Plan: writ.Plan{Steps: []writ.Step{}},
		Changes: filled(changes), Verification: t.Work.Verification, Denials: filled(t.Work.Denials), Phases: filled(t.Work.Phases),
		Quality: t.Work.Quality, Packages: filled(t.Work.Packages), NeedsReview: filled(t.Work.NeedsReview),
		Usage: t.Work.Usage, Delivery: t.Work.Delivery, Hold: hold, Answer: t.Work.Answer, Prompt: t.Prompt, Workspace: t.Workspace,
	}
	if t.Work.Plan != nil {
		r.Plan = writ.Plan{Summary: t.Work.Plan.Summary, Steps: filled(t.Work.Plan.Steps)}
		for i := range r.Plan.Steps {
			r.Plan.Steps[i].Files = filled(r.Plan.Steps[i].Files)
		}
	}
	r.Verification.Checks = make([]writ.Check, 0, len(t.Work.Verification.Checks))
	for _, c := range t.Work.Verification.Checks {
		c.Findings = filled(c.Findings)
		r.Verification.Checks = append(r.Verification.Checks, c)
	}
	if r.Delivery.Mode == "" {
		r.Delivery.Mode = writ.DeliverNone
	}
	if !t.EndedAt.IsZero() {
		r.DurationMS = t.EndedAt.Sub(t.CreatedAt).Milliseconds()
	}
	return r
}

func filled[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
