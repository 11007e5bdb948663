package store

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestLockPathsRefusesWhatAnotherTaskHolds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		workspace, path string
		free            bool
	}{
		"the same file":              {"/w", "src/a.go", false},
		"another file":               {"/w", "src/b.go", true},
		"another spelling":           {"/w", "./src//a.go", false},
		"another case":               {"/w", "SRC/A.go", false},
		"another Unicode form":       {"/w", "caf\u00e9.txt", false},
		"a folder above":             {"/w", "src", false},
		"a file below":               {"/w", "src/a.go/x", false},
		"a name that only begins so": {"/w", "src/a.go2", true},
		"a workspace inside":         {"/w/src", "a.go", false},
		"a workspace around":         {"/", "w/src/a.go", false},
		"another workspace":          {"/v", "src/a.go", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEngines(t, func(t *testing.T, p place) {
				st := p.open(t)
				addTasks(t, st, "t_1", "t_2")
				write(t, st, func(tx *Tx) error { return tx.LockPaths("t_1", "/w", []string{"src/a.go", "cafe\u0301.txt"}) })
				err := st.Write(t.Context(), func(tx *Tx) error { return tx.LockPaths("t_2", tc.workspace, []string{"free.go", tc.path}) })
				locks, lerr := st.Locks(t.Context())
				if lerr != nil {
					t.Fatal(lerr)
				}
				if tc.free {
					if err != nil || len(locks) != 4 {
						t.Errorf("%v, locks %v", err, locks)
					}
					return
				}
				wantCode(t, err, writ.CodeFileNotLocked, "is locked by task t_1")
				var cause *LockedError
				if !errors.As(err, &cause) {
					t.Fatalf("no cause in %v", err)
				}
				if diff := cmp.Diff(&LockedError{Path: tc.path, TaskID: "t_1"}, cause); diff != "" {
					t.Error(diff)
				}
				if len(locks) != 2 {
					t.Errorf("a refused set left locks: %v", locks)
				}
			})
		})
	}
}

func TestLockPathsOfOneTaskGrowAndGo(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_1", "t_2")
		for _, set := range [][]string{{"a", "b"}, {"a", "b", "c"}, nil} {
			write(t, st, func(tx *Tx) error { return tx.LockPaths("t_1", "/w", set) })
		}
		got, err := st.Locks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := []Lock{{"/w", "a", "t_1", start}, {"/w", "b", "t_1", start}, {"/w", "c", "t_1", start}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		write(t, st, func(tx *Tx) error { return errors.Join(tx.UnlockPaths("t_1"), tx.UnlockPaths("t_2")) })
		write(t, st, func(tx *Tx) error { return tx.LockPaths("t_2", "/w", []string{"a"}) })
	})
}

// The locks of a task whose process is gone must not hinder others for ever.
func TestLocksOfTheDeadHinderNobody(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		now := start
		p.opts.Now = func() time.Time { return now }
		st := p.open(t)
		addTasks(t, st, "t_1", "t_2", "t_3")
		lock := func(task string) error {
			return st.Write(t.Context(), func(tx *Tx) error { return tx.LockPaths(task, "/w", []string{"a"}) })
		}
		write(t, st, func(tx *Tx) error {
			return errors.Join(tx.SetLease("t_1", "p1", now.Add(time.Minute)), tx.LockPaths("t_1", "/w", []string{"a"}))
		})
		wantCode(t, lock("t_2"), writ.CodeFileNotLocked)
		now = now.Add(time.Minute) // p1 was killed
		if err := lock("t_2"); err != nil {
			t.Fatalf("a lease that ran out still holds: %v", err)
		}
		wantCode(t, lock("t_1"), writ.CodeFileNotLocked, "t_2") // it must ask again when it goes on
		ended := newTask("t_2", "/w")
		ended.State = writ.StateCancelled
		write(t, st, func(tx *Tx) error { return tx.SaveTask(ended) })
		if err := lock("t_3"); err != nil {
			t.Errorf("an ended task still holds: %v", err)
		}
	})
}

// Of tasks that ask at once for overlapping sets, one gets them.
func TestLockPathsAtOnce(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		stores := []*Store{p.open(t), p.open(t)}
		sets := map[string][]string{"t_1": {"a", "x"}, "t_2": {"a/b", "y"}, "t_3": {"A", "z"}, "t_4": {"a/b/c"}}
		addTasks(t, stores[0], "t_1", "t_2", "t_3", "t_4")
		var mu sync.Mutex
		won := 0
		var wg sync.WaitGroup
		for task, set := range sets {
			st := stores[len(task+set[0])%2]
			wg.Go(func() {
				err := st.Write(context.Background(), func(tx *Tx) error { return tx.LockPaths(task, "/w", set) })
				if err == nil {
					mu.Lock()
					defer mu.Unlock()
					won++
					return
				}
				wantCode(t, err, writ.CodeFileNotLocked)
			})
		}
		wg.Wait()
		if won != 1 {
			t.Errorf("%d tasks hold the same file", won)
		}
	})
}

func TestALeaseHasOneHolder(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		now := start
		p.opts.Now = func() time.Time { return now }
		st := p.open(t)
		addTasks(t, st, "t_1")
		take := func(holder string) error {
			return st.Write(t.Context(), func(tx *Tx) error { return tx.SetLease("t_1", holder, now.Add(time.Minute)) })
		}
		holder := func() string {
			l, err := st.Lease(t.Context(), "t_1")
			if err != nil {
				t.Fatal(err)
			}
			if l == nil {
				return ""
			}
			return l.Holder
		}
		if h := holder(); h != "" {
			t.Errorf("held by %q at first", h)
		}
		for _, err := range []error{take("p1"), take("p1")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		wantCode(t, take("p2"), writ.CodeStateIllegal, "driven by p1")
		now = now.Add(time.Minute)
		if err := take("p2"); err != nil {
			t.Fatal(err)
		}
		wantCode(t, take("p1"), writ.CodeStateIllegal, "driven by p2") // it woke too late
		write(t, st, func(tx *Tx) error { return tx.ReleaseLease("t_1", "p1") })
		if h := holder(); h != "p2" {
			t.Errorf("held by %q, want p2", h)
		}
		write(t, st, func(tx *Tx) error { return tx.ReleaseLease("t_1", "p2") })
		if h := holder(); h != "" {
			t.Errorf("held by %q at the end", h)
		}
	})
}
