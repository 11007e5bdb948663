package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// writeTries bounds how often a write that lost against another writer is run
// again; SQLite has waited five seconds before each loss.
const writeTries = 5

// Tx is one write transaction, valid until the function it was given to
// returns. It is not safe for concurrent use. After an error the transaction
// is lost, whatever the function does next.
type Tx struct {
	// ctx is that of the Write call, which the Tx does not outlive.
	ctx context.Context
	tx  *sql.Tx
	s   *Store
	err error
}

// Write runs fn in one write transaction and commits it. When another writer
// was first, fn runs again from the start, so it must not change anything but
// the store and what it assigns anew on each run. A Write inside fn would wait
// for itself.
//
// It returns fn's own error as it is; a full, read-only, damaged or
// unreachable store gives a *writ.Error of code INTERNAL, and nothing was
// written.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	if s.turn != nil {
		select {
		case s.turn <- struct{}{}:
			defer func() { <-s.turn }()
		case <-ctx.Done():
			return fmt.Errorf("write store: %w", context.Cause(ctx))
		}
	}
	for try := 1; ; try++ {
		err := s.once(ctx, fn)
		if err == nil {
			return nil
		}
		if s.engine.classify(err) != kindBusy || try == writeTries {
			return s.fault("write store", err)
		}
		if err := pause(ctx, 10*time.Millisecond<<try); err != nil {
			return s.fault("write store", err)
		}
	}
}

// once is one try. A panic of fn rolls back and goes on up.
func (s *Store) once(ctx context.Context, fn func(*Tx) error) error {
	raw, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			_ = raw.Rollback() // the error that led here is the one to tell
		}
	}()
	tx := &Tx{ctx: ctx, tx: raw, s: s}
	if err := fn(tx); err != nil {
		return err
	}
	if tx.err != nil {
		return tx.err
	}
	done = true
	return raw.Commit()
}

// exec runs a statement and tells how many rows it touched.
func (tx *Tx) exec(op string, q query, args ...any) (int64, error) {
	if tx.err != nil {
		return 0, tx.err
	}
	res, err := tx.tx.ExecContext(tx.ctx, tx.s.queries[q], args...)
	if err != nil {
		return 0, tx.fail(op, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, tx.fail(op, err)
	}
	return n, nil
}

// row runs a statement that gives one row; sql.ErrNoRows passes as it is and
// does not lose the transaction.
func (tx *Tx) row(op string, q query, args []any, into ...any) error {
	if tx.err != nil {
		return tx.err
	}
	err := tx.tx.QueryRowContext(tx.ctx, tx.s.queries[q], args...).Scan(into...)
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return tx.fail(op, err)
}

// fail makes the transaction unusable. Its error keeps the driver's inside, so
// that Write can tell a lost race from a fault.
func (tx *Tx) fail(op string, err error) error {
	tx.err = fmt.Errorf("%s: %w", op, err)
	return tx.err
}

// pause waits d, or until the context ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
