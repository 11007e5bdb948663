package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/writ-dev/writ"
)

// Lease says which process drives a task, and until when it promised to.
type Lease struct {
	TaskID string
	Holder string // of the holder's own choice, unique to the process
	Until  time.Time
}

// SetLease takes or renews the lease on a task. While another holder's lease
// has not run out it is a *writ.Error of code STATE_ILLEGAL that names the
// holder, and nothing changes: two processes never drive one task.
func (tx *Tx) SetLease(taskID, holder string, until time.Time) error {
	var got string
	err := tx.row("take lease", qLeaseTake, []any{taskID, text(holder), toMS(until), tx.s.now().UnixMilli()}, &got)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	var other string
	var ms int64
	if err := tx.row("take lease", qLeaseGet, []any{taskID}, &other, &ms); err != nil {
		return fmt.Errorf("take lease: %w", err)
	}
	return &writ.Error{Code: writ.CodeStateIllegal, Op: "take lease", Msg: "task " + taskID + " is driven by " + other,
		Hint: "wait for it, or cancel the task"}
}

// ReleaseLease gives the lease back; one that somebody else holds stays.
func (tx *Tx) ReleaseLease(taskID, holder string) error {
	_, err := tx.exec("release lease", qLeaseDrop, taskID, text(holder))
	return err
}

// Lease returns who drives a task, or nil when nobody says so. A lease that
// ran out is returned too: its holder died or hangs.
func (s *Store) Lease(ctx context.Context, taskID string) (*Lease, error) {
	l := Lease{TaskID: taskID}
	var ms int64
	err := s.db.QueryRowContext(ctx, s.queries[qLeaseGet], taskID).Scan(&l.Holder, &ms)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, s.fault("read lease", err)
	}
	l.Until = fromMS(ms)
	return &l, nil
}
