package journal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/eventbus"
	"github.com/writ-dev/writ/internal/infra/journal"
	"github.com/writ-dev/writ/internal/infra/store"
)

// The reader is slower than the bus's queue is long, other processes write in
// between, and live text comes too: nothing with a number is lost or repeated.
func TestFollowLosesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	f := setUp(t, nil)
	other := journal.New(openStore(t, f.dir), eventbus.New(), journal.Options{Now: now}).Task("t_1")
	task := f.journal.Task("t_1")
	emit := func(ledger *journal.Task, n int) {
		for range n {
			ledger.Emit(writ.EventError, "", nil)
			ledger.Emit(writ.EventModelDelta, "", "live")
		}
		commit(t, ledger)
	}
	emit(task, 3)
	const last = 1000
	var seqs []int64
	for e, err := range f.journal.Follow(t.Context(), "t_1", 1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq == 0 {
			continue
		}
		seqs = append(seqs, e.Seq)
		switch len(seqs) {
		case 1:
			emit(task, 10)
		case 5:
			emit(other, 7) // seen only because a number is missing
			emit(task, 1)
		case 12:
			emit(task, 600) // more than the queue holds
		case 30:
			emit(other, last-3-10-7-1-600) // seen only by looking
		}
		if e.Seq == last {
			break
		}
	}
	var want []int64
	for i := range last - 1 {
		want = append(want, int64(i+2))
	}
	if diff := cmp.Diff(want, seqs); diff != "" {
		t.Error(diff)
	}
}

func TestFollowShowsLiveTextInBetween(t *testing.T) {
	t.Parallel()
	f := setUp(t, nil)
	task := f.journal.Task("t_1")
	task.Emit(writ.EventTaskStarted, "", nil)
	commit(t, task)
	var got []string
	for e, err := range f.journal.Follow(t.Context(), "t_1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %s %s", e.Seq, e.Type, e.Data))
		if e.Seq == 1 {
			task.Emit(writ.EventModelDelta, "", "a")
			task.Emit(writ.EventTaskReport, "", 7)
			commit(t, task)
		}
		if e.Type == writ.EventTaskReport {
			break
		}
	}
	want := []string{`1 task.started {}`, `0 model.delta "a"`, `2 task.report 7`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFollowEnds(t *testing.T) {
	t.Parallel()
	t.Run("with its context", func(t *testing.T) {
		t.Parallel()
		f := setUp(t, nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errNo)
		for _, err := range f.journal.Follow(ctx, "t_1", 0) {
			if !errors.Is(err, errNo) && !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		}
	})
	t.Run("with its store", func(t *testing.T) {
		t.Parallel()
		f := setUp(t, nil)
		if err := f.store.Close(); err != nil {
			t.Fatal(err)
		}
		errs := 0
		for _, err := range f.journal.Follow(t.Context(), "t_1", 0) {
			if err != nil {
				errs++
			}
		}
		if errs != 1 {
			t.Errorf("%d errors", errs)
		}
	})
}

// What another process writes is found by looking again, at the pace of Poll.
func TestFollowLooksForOtherProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		open := func() *store.Store {
			st, err := store.Open(context.Background(), store.Options{Dir: dir, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			return st
		}
		here, there := open(), open()
		j := journal.New(here, eventbus.New(), journal.Options{Poll: time.Hour})
		ledger := journal.New(there, eventbus.New(), journal.Options{}).Task("t_1")
		if err := ledger.Commit(t.Context(), create("t_1")); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		done := make(chan time.Duration)
		go func() {
			for e, err := range j.Follow(t.Context(), "t_1", 0) {
				if err != nil || e.Seq != 1 {
					t.Errorf("%v, %v", e, err)
				}
				break
			}
			done <- time.Since(begin)
		}()
		synctest.Wait()
		ledger.Emit(writ.EventError, "", nil)
		if err := ledger.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := <-done; waited != time.Hour {
			t.Errorf("found after %v", waited)
		}
		if err := errors.Join(here.Close(), there.Close()); err != nil {
			t.Error(err)
		}
	})
}
