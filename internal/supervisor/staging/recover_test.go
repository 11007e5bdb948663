package staging

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// begun makes the row of an apply of the staged three files, as a killed
// process leaves it.
func (w *world) begun(workspace string) {
	w.t.Helper()
	row := store.Apply{TaskID: testTask, Workspace: workspace, Kind: store.KindApply, Entries: []store.ApplyEntry{
		{Path: "new", Op: opMakeFolder}, {Path: "new/deep", Op: opMakeFolder},
	}}
	for _, c := range w.overlay.Changes() {
		row.Entries = append(row.Entries, entryOf(c, store.KindApply))
	}
	if err := w.ledger.Commit(w.t.Context(), func(tx *store.Tx) error { return tx.BeginApply(&row) }); err != nil {
		w.t.Fatal(err)
	}
}

func TestRecover(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		left func(w *world) // what the killed process and others left on disk
		want Recovery
		disk func() map[string]string
	}{
		{"nothing written yet", func(*world) {}, Recovery{}, three},
		{"the first file written", func(w *world) { w.edit("mod.txt", "new\n") }, Recovery{Finished: true}, afterThree},
		{"all written", func(w *world) {
			w.edit("mod.txt", "new\n")
			w.edit("new/deep/made.txt", "made\n")
			w.remove("sub/del.txt")
		}, Recovery{Finished: true}, afterThree},
		{"a person edited one that was to come", func(w *world) {
			w.edit("mod.txt", "new\n")
			w.edit("sub/del.txt", "mine\n")
		}, Recovery{Alone: []string{"sub/del.txt"}}, func() map[string]string {
			tree := three()
			tree["sub/del.txt"] = "mine\n"
			return tree
		}},
		{"a person edited one that was written", func(w *world) {
			w.edit("mod.txt", "new\nmine\n")
			w.edit("new/deep/made.txt", "made\n")
		}, Recovery{Alone: []string{"mod.txt"}}, func() map[string]string {
			tree := three()
			tree["mod.txt"] = "new\nmine\n"
			return tree
		}},
		{"a link stands in the way", func(w *world) {
			w.edit("mod.txt", "new\n")
			w.remove("sub/del.txt")
			w.link("../keep.txt", "sub/del.txt")
		}, Recovery{Alone: []string{"sub/del.txt"}}, func() map[string]string {
			tree := three()
			tree["sub/del.txt"] = "-> ../keep.txt"
			return tree
		}},
		{"a person put a file into the new folder", func(w *world) {
			w.edit("new/deep/made.txt", "made\n")
			w.edit("new/mine.txt", "mine\n")
			w.edit("mod.txt", "mine\n")
		}, Recovery{Alone: []string{"mod.txt"}}, func() map[string]string {
			tree := three()
			tree["mod.txt"], tree["new/mine.txt"] = "mine\n", "mine\n"
			return tree
		}},
	} {
		t.Run("state-15/"+tc.name, func(t *testing.T) {
			t.Parallel()
			w := newThree(t)
			w.begun(w.dir)
			tc.left(w)
			got, err := w.applier.Recover(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			tc.want.TaskID, tc.want.Kind = testTask, store.KindApply
			if diff := cmp.Diff([]Recovery{tc.want}, got); diff != "" {
				t.Errorf("recovery (-want +got):\n%s", diff)
			}
			wantTree(t, "disk", tc.disk(), w.disk())
			if !tc.want.Finished {
				w.wantAllStaged()
			}
		})
	}
}

func TestRecoverLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	t.Run("a pass of a living process", func(t *testing.T) {
		t.Parallel()
		w := newThree(t)
		w.begun(w.dir)
		w.edit("mod.txt", "new\n")
		got, err := w.applier.Recover(t.Context(), func(task string) bool { return task == testTask })
		if err != nil || len(got) != 0 {
			t.Fatalf("recovered %+v, %v", got, err)
		}
		want := three()
		want["mod.txt"] = "new\n"
		wantTree(t, "disk", want, w.disk())
	})
	t.Run("a pass on another workspace", func(t *testing.T) {
		t.Parallel()
		w := newThree(t)
		w.begun(t.TempDir())
		got, err := w.applier.Recover(t.Context(), nil)
		if err != nil || len(got) != 0 {
			t.Fatalf("recovered %+v, %v", got, err)
		}
	})
	t.Run("but not the same workspace under another name", func(t *testing.T) {
		t.Parallel()
		w := newThree(t)
		alias := filepath.Join(t.TempDir(), "alias")
		if err := os.Symlink(w.dir, alias); err != nil {
			t.Skip("links cannot be made here:", err)
		}
		w.begun(alias)
		got, err := w.applier.Recover(t.Context(), nil)
		if err != nil || len(got) != 1 {
			t.Fatalf("recovered %+v, %v", got, err)
		}
	})
}

// lossyStore has lost one content.
type lossyStore struct {
	*store.Store
	lost string
}

func (s *lossyStore) Blob(ctx context.Context, sha string) ([]byte, error) {
	if sha == s.lost {
		return nil, errors.New("no such content")
	}
	return s.Store.Blob(ctx, sha)
}

func TestRecoverWithoutAContentGoesBack(t *testing.T) {
	t.Parallel()
	w := newThree(t)
	w.begun(w.dir)
	w.edit("mod.txt", "new\n")
	a, err := NewApplier(ApplierOptions{Store: &lossyStore{w.store, hashOf([]byte("made\n"))}, Root: w.root, Ledger: func(string) Ledger { return w.ledger }})
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Recover(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Recovery{{TaskID: testTask, Kind: store.KindApply}}, got); diff != "" {
		t.Errorf("recovery (-want +got):\n%s", diff)
	}
	wantTree(t, "disk", three(), w.disk())
	w.wantAllStaged()
}

// TestATamperedRowLeadsNowhere applies rows that the overlay would never have
// written.
func TestATamperedRowLeadsNowhere(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]writ.Code{
		"../out.txt": writ.CodePathInvalid, "/etc/writ-test": writ.CodePathOutside, ".git/hooks/post-commit": writ.CodeProtectedPath,
		"writ.yaml": writ.CodeProtectedPath, ".writ/rules/x.yaml": writ.CodeProtectedPath, "d//n.txt": writ.CodePathInvalid,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"keep.txt": "keep\n"})
			c := writ.Change{Path: path, Op: writ.OpCreate, Status: writ.ChangeStaged, Mode: 0o644, AfterSHA256: hashOf([]byte("x"))}
			err := w.ledger.Commit(t.Context(), func(tx *store.Tx) error {
				if _, err := tx.PutBlob([]byte("x")); err != nil {
					return err
				}
				return tx.PutChange(testTask, c)
			})
			if err != nil {
				t.Fatal(err)
			}
			out, err := w.applier.Apply(t.Context(), testTask, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Denials) != 1 || out.Denials[0].Code != want && want != writ.CodePathInvalid {
				t.Errorf("denials: %v, want %s", codes(out), want)
			}
			wantTree(t, "disk", map[string]string{"keep.txt": "keep\n"}, w.disk())
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	full := w.overlay.o
	for name, spoil := range map[string]func(*Options){
		"Task": func(o *Options) { o.Task = "" }, "Root": func(o *Options) { o.Root = nil }, "Guard": func(o *Options) { o.Guard = nil },
		"Ledger": func(o *Options) { o.Ledger = nil }, "Store": func(o *Options) { o.Store = nil },
		"Syntax": func(o *Options) { o.Syntax = nil }, "List": func(o *Options) { o.List = nil },
	} {
		o := full
		spoil(&o)
		if _, err := Open(t.Context(), o); err == nil {
			t.Errorf("Open without %s works", name)
		}
	}
	for name, o := range map[string]ApplierOptions{
		"Store": {Root: w.root, Ledger: w.applier.o.Ledger}, "Root": {Store: w.store, Ledger: w.applier.o.Ledger}, "Ledger": {Store: w.store, Root: w.root},
	} {
		if _, err := NewApplier(o); err == nil {
			t.Errorf("NewApplier without %s works", name)
		}
	}
}
