package store

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/writ-dev/writ"
)

// single makes the store use one connection and runs a statement on it.
func single(t *testing.T, st *Store, pragma string) {
	t.Helper()
	st.db.SetMaxOpenConns(1)
	if _, err := st.db.Exec(pragma); err != nil {
		t.Fatal(err)
	}
}

func countTasks(t *testing.T, st *Store) int {
	t.Helper()
	tasks, err := st.Tasks(t.Context(), TaskFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return len(tasks)
}

func TestWriteIsAllOrNothing(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		cause := errors.New("no")
		err := st.Write(t.Context(), func(tx *Tx) error {
			if err := tx.CreateTask(newTask("t_1", "/w")); err != nil {
				return err
			}
			return cause
		})
		if err == nil || !errors.Is(err, cause) {
			t.Errorf("error %v, want %v", err, cause)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_ = st.Write(t.Context(), func(tx *Tx) error {
				if err := tx.CreateTask(newTask("t_2", "/w")); err != nil {
					return err
				}
				panic("in the middle")
			})
		}()
		if err := st.Write(t.Context(), func(tx *Tx) error { // the same task twice, and the error swallowed
			_ = tx.CreateTask(newTask("t_3", "/w"))
			_ = tx.CreateTask(newTask("t_3", "/w"))
			_ = tx.CreateTask(newTask("t_4", "/w"))
			return nil
		}); err == nil {
			t.Error("a lost transaction was committed")
		}
		if n := countTasks(t, st); n != 0 {
			t.Errorf("%d tasks are there", n)
		}
		addTasks(t, st, "t_5") // the store still works
	})
}

// Audit case 04: what cannot be recorded gives one clear error.
func TestWriteFailsClosed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ pragma, says string }{
		"a full disk":       {"PRAGMA max_page_count = 1", "no room is left for the store"},
		"a read-only store": {"PRAGMA query_only = 1", "may not be written to"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := place{opts: Options{Dir: t.TempDir()}}.open(t)
			addTasks(t, st, "t_1")
			single(t, st, tc.pragma)
			for range 3 {
				err := st.Write(t.Context(), func(tx *Tx) error {
					_, err := tx.PutBlob([]byte(strings.Repeat("x", 1<<20)))
					return err
				})
				wantCode(t, err, writ.CodeInternal, tc.says, "nothing more is done")
			}
			if n := countTasks(t, st); n != 1 {
				t.Errorf("%d tasks can be read", n)
			}
		})
	}
}

// letGo is the embedded engine that calls back at the first lost race.
type letGo struct {
	engine
	first func()
}

func (e *letGo) classify(err error) faultKind {
	kind := e.engine.classify(err)
	if kind == kindBusy && e.first != nil {
		e.first()
		e.first = nil
	}
	return kind
}

func TestWriteTriesAgain(t *testing.T) {
	t.Parallel()
	for name, released := range map[string]bool{"until the other writer is done": true, "but not for ever": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place{opts: Options{Dir: t.TempDir()}}
			st, other := p.open(t), p.open(t)
			single(t, st, "PRAGMA busy_timeout = 1")
			held, err := other.db.BeginTx(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = held.Rollback() }()
			if released {
				st.engine = &letGo{engine: st.engine, first: func() { _ = held.Rollback() }}
			}
			err = st.Write(t.Context(), func(tx *Tx) error { return tx.CreateTask(newTask("t_1", "/w")) })
			if released {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantCode(t, err, writ.CodeInternal, "held by another process")
		})
	}
}

func TestWriteEndsWithItsContext(t *testing.T) {
	t.Parallel()
	st := place{opts: Options{Dir: t.TempDir()}}.open(t)
	cause := errors.New("stopped")
	err := st.Write(t.Context(), func(*Tx) error {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(cause)
		return st.Write(ctx, func(*Tx) error { return nil }) // waits for the one it stands in
	})
	if !errors.Is(err, cause) {
		t.Errorf("error %v, want %v", err, cause)
	}
}
