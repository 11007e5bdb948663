package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/writ-dev/writ"
)

// AuditRow is one stored event with its place in the chain.
type AuditRow struct {
	writ.Event
	TimeMS     int64 // the event's time as it is stored and chained
	DataSHA256 string
	Prev       string
	Hash       string
	Erased     bool // the payload was removed; Data says so
}

// Head is the end of one task's chain as the task's own row knows it.
type Head struct {
	TaskID     string
	Seq        int64
	Hash       string
	CheckedSeq int64 // the last event that a checkpoint covers
}

// Checkpoint is one signed statement about the chains; see package audit for
// what its body says.
type Checkpoint struct {
	N         int64 // from 1 without a hole
	At        time.Time
	Body      string
	Signature string
}

// View is a read of one moment: nothing that is committed meanwhile shows.
type View struct {
	ctx context.Context // of the View call, which the View does not outlive
	tx  *sql.Tx
	s   *Store
}

// View runs fn on a consistent, read-only view of the store.
func (s *Store) View(ctx context.Context, fn func(*View) error) error {
	tx, err := s.db.BeginTx(ctx, s.engine.snapshot())
	if err != nil {
		return s.fault("read store", err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	return s.fault("read store", fn(&View{ctx: ctx, tx: tx, s: s}))
}

// RowsByTask returns up to limit rows after the given place, ordered by task
// and number. The order of tasks is the database's own.
func (v *View) RowsByTask(taskID string, seq int64, limit int) ([]AuditRow, error) {
	return v.rows(qAuditByTask, taskID, seq, limitOf(limit))
}

// RowsByTime returns up to limit rows after the given row, oldest first; the
// zero row stands before all of them. Within a task that is the order of the
// numbers.
func (v *View) RowsByTime(after AuditRow, limit int) ([]AuditRow, error) {
	return v.rows(qAuditByTime, after.TimeMS, after.TaskID, after.Seq, limitOf(limit))
}

func (v *View) rows(q query, args ...any) ([]AuditRow, error) {
	var out []AuditRow
	err := eachRow(v.ctx, v.tx, v.s.queries[q], args, func(scan func(...any) error) error {
		var r AuditRow
		var data *string
		if err := scan(&r.TimeMS, &r.TaskID, &r.Seq, &r.Type, &r.Agent, &data, &r.DataSHA256, &r.Prev, &r.Hash); err != nil {
			return err
		}
		r.Time, r.Data, r.Erased = fromMS(r.TimeMS), payload(data), data == nil
		out = append(out, r)
		return nil
	})
	return out, err
}

// Heads returns the end of every task's chain.
func (v *View) Heads() ([]Head, error) {
	var out []Head
	err := eachRow(v.ctx, v.tx, v.s.queries[qAuditHeads], nil, func(scan func(...any) error) error {
		var h Head
		if err := scan(&h.TaskID, &h.Seq, &h.Hash, &h.CheckedSeq); err != nil {
			return err
		}
		out = append(out, h)
		return nil
	})
	return out, err
}

// Checkpoints returns up to limit checkpoints with a greater number than
// after, in order.
func (v *View) Checkpoints(after int64, limit int) ([]Checkpoint, error) {
	var out []Checkpoint
	err := eachRow(v.ctx, v.tx, v.s.queries[qCheckpointAfter], []any{after, limitOf(limit)}, func(scan func(...any) error) error {
		var c Checkpoint
		var ms int64
		if err := scan(&c.N, &ms, &c.Body, &c.Signature); err != nil {
			return err
		}
		c.At = fromMS(ms)
		out = append(out, c)
		return nil
	})
	return out, err
}

// AddCheckpoint stores the checkpoint that sign makes: n and at are its number
// and time, prev is the last one, or nil, and due are the chains that grew
// since. Only one process does this at a time. When nothing grew, sign is not
// called and nothing is stored.
func (tx *Tx) AddCheckpoint(sign func(n int64, at time.Time, prev *Checkpoint, due []Head) (body, signature string, err error)) error {
	var turn int64
	if err := tx.row("take turn", qTurnTake, []any{"checkpoint"}, &turn); err != nil {
		return fmt.Errorf("take turn: %w", err)
	}
	due, err := tx.due()
	if err != nil || len(due) == 0 {
		return err
	}
	var last Checkpoint
	var ms int64
	prev := &last
	switch err := tx.row("read checkpoint", qCheckpointLast, nil, &last.N, &ms, &last.Body, &last.Signature); {
	case errors.Is(err, sql.ErrNoRows):
		prev = nil
	case err != nil:
		return err
	}
	last.At = fromMS(ms)
	n, at := last.N+1, fromMS(max(ms, tx.s.now().UnixMilli()))
	body, signature, err := sign(n, at, prev, due)
	if err != nil {
		return err
	}
	if _, err := tx.exec("add checkpoint", qCheckpointAdd, n, toMS(at), body, signature); err != nil {
		return err
	}
	for _, h := range due {
		if _, err := tx.exec("mark checkpoint", qCheckpointMark, h.TaskID, h.Seq); err != nil {
			return err
		}
	}
	return nil
}

// due are the chains that grew since the last checkpoint.
func (tx *Tx) due() ([]Head, error) {
	var out []Head
	err := eachRow(tx.ctx, tx.tx, tx.s.queries[qCheckpointDue], nil, func(scan func(...any) error) error {
		var h Head
		if err := scan(&h.TaskID, &h.Seq, &h.Hash); err != nil {
			return err
		}
		out = append(out, h)
		return nil
	})
	if err != nil {
		return nil, tx.fail("read heads", err)
	}
	return out, nil
}
