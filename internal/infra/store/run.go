package store

import (
	"context"

	"github.com/writ-dev/writ"
)

// PutRun records an agent run; one of the same id is replaced.
func (tx *Tx) PutRun(taskID string, r writ.AgentRun) error {
	data, err := encode("put run", r)
	if err != nil {
		return err
	}
	_, err = tx.exec("put run", qRunPut, taskID, text(r.ID), text(r.Agent), toMS(r.StartedAt), data)
	return err
}

// Runs returns a task's agent runs, oldest first.
func (s *Store) Runs(ctx context.Context, taskID string) ([]writ.AgentRun, error) {
	return list[writ.AgentRun](ctx, s, "read runs", qRunList, taskID)
}

// PutReport writes a task's report over the one that is there.
func (tx *Tx) PutReport(taskID string, r *writ.Report) error {
	data, err := encode("put report", r)
	if err != nil {
		return err
	}
	_, err = tx.exec("put report", qReportPut, taskID, tx.s.now().UnixMilli(), data)
	return err
}

// Report returns a task's report, or nil while it has none.
func (s *Store) Report(ctx context.Context, taskID string) (*writ.Report, error) {
	r := new(writ.Report)
	found, err := s.value(ctx, "read report", qReportGet, r, taskID)
	if !found {
		return nil, err
	}
	return r, nil
}
