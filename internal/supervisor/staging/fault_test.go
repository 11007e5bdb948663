package staging

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// faultyDisk fails the n-th write, counted from 1, and every later one when
// stuck is set.
type faultyDisk struct {
	ApplyDisk
	n, count int
	err      error
	stuck    bool
	late     bool             // the write happens, and then fails
	before   func(rel string) // runs before each write
}

func (d *faultyDisk) fail(rel string) error {
	if d.before != nil {
		d.before(rel)
	}
	d.count++
	if d.count == d.n || d.stuck && d.n > 0 && d.count > d.n {
		return d.err
	}
	return nil
}

// either fails before the write or after it.
func (d *faultyDisk) either(rel string, write func() error) error {
	err := d.fail(rel)
	if err != nil && !d.late {
		return err
	}
	return errors.Join(write(), err)
}

func (d *faultyDisk) Replace(ctx context.Context, rel string, content []byte, mode fs.FileMode, base string) error {
	return d.either(rel, func() error { return d.ApplyDisk.Replace(ctx, rel, content, mode, base) })
}

func (d *faultyDisk) Remove(ctx context.Context, rel, base string) error {
	return d.either(rel, func() error { return d.ApplyDisk.Remove(ctx, rel, base) })
}

// faultyLedger fails the n-th commit.
type faultyLedger struct {
	Ledger
	n, count int
}

func (l *faultyLedger) Commit(ctx context.Context, fns ...func(*store.Tx) error) error {
	l.count++
	if l.count == l.n {
		return &writ.Error{Code: writ.CodeInternal, Op: "write the store", Msg: "no room is left", Err: syscall.ENOSPC}
	}
	return l.Ledger.Commit(ctx, fns...)
}

func TestErrorMidwayTakesAllBack(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{syscall.ENOSPC, syscall.EROFS, syscall.EACCES, syscall.EISDIR} {
		for n := 1; n <= 3; n++ {
			for _, strict := range []bool{true, false} {
				t.Run(fmt.Sprintf("%v at write %d strict %v", cause, n, strict), func(t *testing.T) {
					t.Parallel()
					w := newThree(t)
					disk := &faultyDisk{ApplyDisk: w.root, n: n, err: fmt.Errorf("write: %w", cause)}
					a := w.applierOn(disk)
					var err error
					if strict {
						_, err = a.ApplyAll(t.Context(), testTask)
					} else {
						_, err = a.Apply(t.Context(), testTask, nil)
					}
					wantIO(t, err, cause)
					wantTree(t, "disk", three(), w.disk())
					w.wantAllStaged()
					if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
						t.Fatalf("the cause is mended, and still: %v", err)
					}
					wantTree(t, "applied afterwards", afterThree(), w.disk())
				})
			}
		}
	}
}

func (w *world) wantAllStaged() {
	w.t.Helper()
	want := map[string]writ.ChangeStatus{"mod.txt": writ.ChangeStaged, "new/deep/made.txt": writ.ChangeStaged, "sub/del.txt": writ.ChangeStaged}
	if diff := cmp.Diff(want, w.status()); diff != "" {
		w.t.Errorf("statuses (-want +got):\n%s", diff)
	}
	rows, err := w.store.Applies(w.t.Context())
	if err != nil || len(rows) != 0 {
		w.t.Errorf("open applies: %+v, %v", rows, err)
	}
}

// TestErrorAfterTheRename is a sync that fails when the file is new already.
func TestErrorAfterTheRename(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 3; n++ {
		t.Run(fmt.Sprintf("at write %d", n), func(t *testing.T) {
			t.Parallel()
			w := newThree(t)
			_, err := w.applierOn(&faultyDisk{ApplyDisk: w.root, n: n, err: syscall.EIO, late: true}).ApplyAll(t.Context(), testTask)
			wantIO(t, err, syscall.EIO)
			wantTree(t, "disk", three(), w.disk())
			w.wantAllStaged()
		})
	}
}

func TestErrorMidwayInUndo(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 3; n++ {
		t.Run(fmt.Sprintf("at write %d", n), func(t *testing.T) {
			t.Parallel()
			w := newThree(t)
			if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
				t.Fatal(err)
			}
			_, err := w.applierOn(&faultyDisk{ApplyDisk: w.root, n: n, err: syscall.ENOSPC}).Undo(t.Context(), testTask, nil)
			wantIO(t, err, syscall.ENOSPC)
			wantTree(t, "still applied", afterThree(), w.disk())
			if _, err := w.applier.Undo(t.Context(), testTask, nil); err != nil {
				t.Fatal(err)
			}
			wantTree(t, "undone", three(), w.disk())
		})
	}
}

// TestDiskRefusesTheWayBack leaves a half that the next start mends.
func TestDiskRefusesTheWayBack(t *testing.T) {
	t.Parallel()
	w := newThree(t)
	_, err := w.applierOn(&faultyDisk{ApplyDisk: w.root, n: 2, err: syscall.EROFS, stuck: true}).ApplyAll(t.Context(), testTask)
	wantIO(t, err, syscall.EROFS)
	got, err := w.applier.Recover(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Recovery{{TaskID: testTask, Kind: "apply", Finished: true}}, got); diff != "" {
		t.Errorf("recovery (-want +got):\n%s", diff)
	}
	wantTree(t, "disk", afterThree(), w.disk())
}

func TestStoreRefusesTheResult(t *testing.T) {
	t.Parallel()
	w := newThree(t)
	ledger := &faultyLedger{Ledger: w.ledger, n: 2} // 1 begins, 2 records the result
	a, err := NewApplier(ApplierOptions{Store: w.store, Root: w.root, Ledger: func(string) Ledger { return ledger }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.ApplyAll(t.Context(), testTask)
	wantIO(t, err, syscall.ENOSPC)
	wantTree(t, "disk", three(), w.disk())
	w.wantAllStaged()
	want := []string{"change.undone mod.txt", "change.undone new/deep/made.txt", "change.undone sub/del.txt"}
	if got := w.events(); !cmp.Equal(got[len(got)-3:], want) {
		t.Errorf("the ledger must not end with an apply that was taken back: %v", got)
	}
}

func TestStoreRefusesTheBeginning(t *testing.T) {
	t.Parallel()
	w := newThree(t)
	a, err := NewApplier(ApplierOptions{Store: w.store, Root: w.root, Ledger: func(string) Ledger { return &faultyLedger{Ledger: w.ledger, n: 1} }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = a.ApplyAll(t.Context(), testTask); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error is %v", err)
	}
	wantTree(t, "disk", three(), w.disk())
	w.wantAllStaged()
}

func TestStoreRefusesAStagedWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "1\n"})
	ledger := &faultyLedger{Ledger: w.ledger, n: 1}
	w.overlay.o.Ledger = ledger
	_, err := w.coder().Write(t.Context(), "a.txt", []byte("2\n"), w.seen("a.txt"))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error is %v", err)
	}
	if n := len(w.overlay.Changes()); n != 0 {
		t.Errorf("%d changes without a row", n)
	}
	w.write("a.txt", "3\n")
	if diff := cmp.Diff([]string{"change.staged a.txt", "change.rejected a.txt", "change.staged a.txt"}, w.events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if got := w.seen("a.txt"); got != hashOf([]byte("3\n")) {
		t.Errorf("then it sees %s", got)
	}
}

// TestARaceWithAPerson changes a file after it was inspected, right before it
// is written.
func TestARaceWithAPerson(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{true, false} {
		t.Run(fmt.Sprintf("state-13/strict %v", strict), func(t *testing.T) {
			t.Parallel()
			w := newThree(t)
			disk := &faultyDisk{ApplyDisk: w.root, before: func(rel string) {
				if rel == "new/deep/made.txt" {
					w.edit("new/deep/made.txt", "mine\n")
				}
			}}
			a := w.applierOn(disk)
			run := func() (Outcome, error) { return a.Apply(t.Context(), testTask, nil) }
			want := afterThree()
			wantOut := Outcome{Applied: []string{"mod.txt", "sub/del.txt"}, Stale: []string{"new/deep/made.txt"}}
			if strict {
				run = func() (Outcome, error) { return a.ApplyAll(t.Context(), testTask) }
				want, wantOut = three(), Outcome{Stale: []string{"new/deep/made.txt"}}
			}
			out, err := run()
			if err != nil {
				t.Fatal(err)
			}
			want["new/deep/made.txt"] = "mine\n"
			wantOutcome(t, wantOut, out)
			wantTree(t, "disk", want, w.disk())
		})
	}
}

// TestAPersonEditsDuringTheWayBack keeps the edit and says so.
func TestAPersonEditsDuringTheWayBack(t *testing.T) {
	t.Parallel()
	w := newThree(t)
	disk := &faultyDisk{ApplyDisk: w.root, n: 2, err: syscall.ENOSPC}
	disk.before = func(string) {
		if disk.count == 1 {
			w.edit("mod.txt", "new\nmine\n")
		}
	}
	_, err := w.applierOn(disk).ApplyAll(t.Context(), testTask)
	wantIO(t, err, syscall.ENOSPC)
	want := three()
	want["mod.txt"] = "new\nmine\n"
	wantTree(t, "disk", want, w.disk())
}

func TestCancelledMidwayTakesAllBack(t *testing.T) {
	t.Parallel()
	w := newThree(t)
	ctx, cancel := context.WithCancel(t.Context())
	disk := &faultyDisk{ApplyDisk: w.root}
	disk.before = func(string) {
		if disk.count == 1 {
			cancel()
		}
	}
	if _, err := w.applierOn(disk).ApplyAll(ctx, testTask); err == nil {
		t.Fatal("it goes on")
	}
	wantTree(t, "disk", three(), w.disk())
	w.wantAllStaged()
}
