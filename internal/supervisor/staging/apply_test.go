package staging

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/writ-dev/writ"
)

// three is the workspace of most apply tests, and stageThree a change of each
// kind on it.
func three() map[string]string {
	return map[string]string{"keep.txt": "keep\n", "mod.txt": "old\n", "sub/del.txt": "gone\n"}
}

func (w *world) stageThree() {
	w.t.Helper()
	w.write("mod.txt", "new\n")
	w.write("new/deep/made.txt", "made\n")
	w.delete("sub/del.txt")
}

func afterThree() map[string]string {
	return map[string]string{"keep.txt": "keep\n", "mod.txt": "new\n", "new/deep/made.txt": "made\n", "sub/": ""}
}

func newThree(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, three(), "new/deep/made.txt")
	w.stageThree()
	return w
}

func wantTree(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func wantOutcome(t *testing.T, want, got Outcome) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Outcome{}, "Denials")); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
}

var threePaths = []string{"mod.txt", "new/deep/made.txt", "sub/del.txt"}

func TestApplyAndUndo(t *testing.T) {
	t.Parallel()
	w := newThree(t)
	if err := os.Chmod(filepath.Join(w.dir, "sub/del.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := w.applier.ApplyAll(t.Context(), testTask)
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, Outcome{Applied: threePaths}, out)
	wantTree(t, "applied", afterThree(), w.disk())
	applied := map[string]writ.ChangeStatus{"mod.txt": writ.ChangeApplied, "new/deep/made.txt": writ.ChangeApplied, "sub/del.txt": writ.ChangeApplied}
	if diff := cmp.Diff(applied, w.status()); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	out, err = w.applier.ApplyAll(t.Context(), testTask)
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, Outcome{}, out)

	out, err = w.applier.Undo(t.Context(), testTask, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, Outcome{Applied: threePaths}, out)
	wantTree(t, "undone", three(), w.disk())
	out, err = w.applier.Undo(t.Context(), testTask, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, Outcome{}, out)
	out, err = w.applier.Apply(t.Context(), testTask, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, Outcome{}, out) // undone is not staged
	wantTree(t, "still undone", three(), w.disk())
	want := []string{
		"change.staged mod.txt", "change.staged new/deep/made.txt", "change.staged sub/del.txt",
		"change.applied mod.txt", "change.applied new/deep/made.txt", "change.applied sub/del.txt",
		"change.undone mod.txt", "change.undone new/deep/made.txt", "change.undone sub/del.txt",
	}
	if diff := cmp.Diff(want, w.events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestUndoTakesNothingElse is UP-071.
func TestUndoTakesNothingElse(t *testing.T) {
	t.Parallel()
	t.Run("UP-071/untracked and ignored files keep every byte", func(t *testing.T) {
		t.Parallel()
		w := newThree(t)
		w.edit("out/data.csv", "1;2\n")
		w.edit(".env", "A=1\n")
		if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
			t.Fatal(err)
		}
		if _, err := w.applier.Undo(t.Context(), testTask, nil); err != nil {
			t.Fatal(err)
		}
		want := three()
		want["out/data.csv"], want[".env"] = "1;2\n", "A=1\n"
		wantTree(t, "undone", want, w.disk())
	})
	t.Run("UP-071/a folder made for a file stays when a person uses it", func(t *testing.T) {
		t.Parallel()
		w := newThree(t)
		if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
			t.Fatal(err)
		}
		w.edit("new/mine.txt", "mine\n")
		if _, err := w.applier.Undo(t.Context(), testTask, nil); err != nil {
			t.Fatal(err)
		}
		want := three()
		want["new/mine.txt"] = "mine\n"
		wantTree(t, "undone", want, w.disk())
	})
	t.Run("UP-071/an empty folder of the person's stays", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, three(), "mine/made/n.txt")
		if err := os.Mkdir(filepath.Join(w.dir, "mine"), 0o755); err != nil {
			t.Fatal(err)
		}
		w.write("mine/made/n.txt", "n\n")
		if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
			t.Fatal(err)
		}
		if _, err := w.applier.Undo(t.Context(), testTask, nil); err != nil {
			t.Fatal(err)
		}
		want := three()
		want["mine/"] = ""
		wantTree(t, "undone", want, w.disk())
	})
	t.Run("UP-071/deleted file comes back with its mode", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, map[string]string{"run.sh": "x\n"})
		if err := os.Chmod(filepath.Join(w.dir, "run.sh"), 0o750); err != nil {
			t.Fatal(err)
		}
		w.delete("run.sh")
		if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
			t.Fatal(err)
		}
		if _, err := w.applier.Undo(t.Context(), testTask, nil); err != nil {
			t.Fatal(err)
		}
		if got := mode(t, filepath.Join(w.dir, "run.sh")); got != 0o750 {
			t.Errorf("mode is %v", got)
		}
	})
}

// TestAPersonsEditIsSpared holds the cases in which a file is not what the
// change was built on.
func TestAPersonsEditIsSpared(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		meddle func(w *world)
		strict bool
		want   Outcome
		codes  []string
		disk   func(tree map[string]string)
	}{
		{"state-13/strict: nothing is applied", func(w *world) { w.edit("mod.txt", "mine\n") }, true,
			Outcome{Stale: []string{"mod.txt"}}, []string{"STALE_FILE mod.txt"},
			func(tree map[string]string) { clear(tree); fill(tree, three()); tree["mod.txt"] = "mine\n" }},
		{"state-13/by hand: the others are applied", func(w *world) { w.edit("mod.txt", "mine\n") }, false,
			Outcome{Applied: []string{"new/deep/made.txt", "sub/del.txt"}, Stale: []string{"mod.txt"}}, []string{"STALE_FILE mod.txt"},
			func(tree map[string]string) { tree["mod.txt"] = "mine\n" }},
		{"state-13/the file to be made is there already", func(w *world) { w.edit("new/deep/made.txt", "mine\n") }, false,
			Outcome{Applied: []string{"mod.txt", "sub/del.txt"}, Stale: []string{"new/deep/made.txt"}}, []string{"STALE_FILE new/deep/made.txt"},
			func(tree map[string]string) { tree["new/deep/made.txt"] = "mine\n" }},
		{"state-13/the file to be deleted was edited", func(w *world) { w.edit("sub/del.txt", "mine\n") }, false,
			Outcome{Applied: []string{"mod.txt", "new/deep/made.txt"}, Stale: []string{"sub/del.txt"}}, []string{"STALE_FILE sub/del.txt"},
			func(tree map[string]string) { delete(tree, "sub/"); tree["sub/del.txt"] = "mine\n" }},
		{"state-13/the file to be changed was deleted", func(w *world) { w.remove("mod.txt") }, false,
			Outcome{Applied: []string{"new/deep/made.txt", "sub/del.txt"}, Stale: []string{"mod.txt"}}, []string{"STALE_FILE mod.txt"},
			func(tree map[string]string) { delete(tree, "mod.txt") }},
		{"a person did the same already", func(w *world) { w.edit("mod.txt", "new\n"); w.remove("sub/del.txt") }, true,
			Outcome{Applied: threePaths}, nil, func(map[string]string) {}},
		{"a link was swapped in", func(w *world) { w.remove("mod.txt"); w.link("keep.txt", "mod.txt") }, true,
			Outcome{Failed: []string{"mod.txt"}}, []string{"PATH_INVALID mod.txt"},
			func(tree map[string]string) { clear(tree); fill(tree, three()); tree["mod.txt"] = "-> keep.txt" }},
		{"a folder stands there", func(w *world) { w.remove("mod.txt"); w.edit("mod.txt/x", "x\n") }, true,
			Outcome{Failed: []string{"mod.txt"}}, []string{"PATH_INVALID mod.txt"},
			func(tree map[string]string) {
				clear(tree)
				fill(tree, three())
				delete(tree, "mod.txt")
				tree["mod.txt/x"] = "x\n"
			}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newThree(t)
			tc.meddle(w)
			var out Outcome
			var err error
			if tc.strict {
				out, err = w.applier.ApplyAll(t.Context(), testTask)
			} else {
				out, err = w.applier.Apply(t.Context(), testTask, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			wantOutcome(t, tc.want, out)
			if diff := cmp.Diff(tc.codes, codes(out)); diff != "" {
				t.Errorf("denials (-want +got):\n%s", diff)
			}
			tree := afterThree()
			tc.disk(tree)
			wantTree(t, "disk", tree, w.disk())
			for _, rel := range append(tc.want.Stale, tc.want.Failed...) {
				if got := w.status()[rel]; got != writ.ChangeStaged {
					t.Errorf("%s is %s, want staged", rel, got)
				}
			}
		})
	}
}

func (w *world) remove(rel string) {
	w.t.Helper()
	if err := os.Remove(filepath.Join(w.dir, rel)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) link(target, rel string) {
	w.t.Helper()
	if err := os.Symlink(target, filepath.Join(w.dir, rel)); err != nil {
		w.t.Skip("links cannot be made here:", err)
	}
}

func fill(into, from map[string]string) {
	for k, v := range from {
		into[k] = v
	}
}

func TestUndoSparesAPersonsEdit(t *testing.T) {
	t.Parallel()
	w := newThree(t)
	if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
		t.Fatal(err)
	}
	w.edit("mod.txt", "new\nmine\n")
	w.edit("sub/del.txt", "mine too\n")
	out, err := w.applier.Undo(t.Context(), testTask, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, Outcome{Applied: []string{"new/deep/made.txt"}, Stale: []string{"mod.txt", "sub/del.txt"}}, out)
	wantTree(t, "disk", map[string]string{"keep.txt": "keep\n", "mod.txt": "new\nmine\n", "sub/del.txt": "mine too\n"}, w.disk())
	want := map[string]writ.ChangeStatus{"mod.txt": writ.ChangeApplied, "new/deep/made.txt": writ.ChangeUndone, "sub/del.txt": writ.ChangeApplied}
	if diff := cmp.Diff(want, w.status()); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

func TestPathsChosen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		paths   []string
		applied []string
		unknown []string
	}{
		{"one file", []string{"mod.txt"}, []string{"mod.txt"}, nil},
		{"another spelling", []string{"./mod.txt"}, []string{"mod.txt"}, nil},
		{"a path that climbs", []string{"./sub/../mod.txt"}, nil, nil},
		{"a folder", []string{"new"}, []string{"new/deep/made.txt"}, nil},
		{"one half of a move brings the other", []string{"sub/moved.txt"}, []string{"sub/moved.txt", "sub/old.txt"}, nil},
		{"the old half too", []string{"sub/old.txt"}, []string{"sub/moved.txt", "sub/old.txt"}, nil},
		{"not ours", []string{"keep.txt"}, nil, []string{"keep.txt"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			files := three()
			files["sub/old.txt"] = "moving\n"
			w := newWorld(t, files, "new/deep/made.txt", "sub/moved.txt")
			w.stageThree()
			if _, err := w.coder().Move(t.Context(), "sub/old.txt", "sub/moved.txt"); err != nil {
				t.Fatal(err)
			}
			out, err := w.applier.Apply(t.Context(), testTask, tc.paths)
			if tc.paths[0] == "./sub/../mod.txt" {
				wantCode(t, err, writ.CodePathInvalid)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantOutcome(t, Outcome{Applied: tc.applied, Unknown: tc.unknown}, out)
		})
	}
}

func TestDiscard(t *testing.T) {
	t.Parallel()
	w := newThree(t)
	out, err := w.applier.Discard(t.Context(), testTask, []string{"mod.txt"})
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, Outcome{Applied: []string{"mod.txt"}}, out)
	if out, err = w.applier.Discard(t.Context(), testTask, []string{"mod.txt"}); err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, Outcome{}, out)
	if _, err := w.applier.Apply(t.Context(), testTask, nil); err != nil {
		t.Fatal(err)
	}
	want := afterThree()
	want["mod.txt"] = "old\n"
	wantTree(t, "disk", want, w.disk())
	if got := w.status()["mod.txt"]; got != writ.ChangeDiscarded {
		t.Errorf("mod.txt is %s", got)
	}
}

// TestHalfOfTheWorkIsNotApplied is UP-043: what a stopped task staged waits.
func TestHalfOfTheWorkIsNotApplied(t *testing.T) {
	t.Parallel()
	t.Run("UP-043/staged work of a stopped task stays apart and can be thrown away", func(t *testing.T) {
		t.Parallel()
		w := newThree(t)
		again := w.open() // the task ended; another process looks
		if n := len(again.Changes()); n != 3 {
			t.Fatalf("%d changes are left", n)
		}
		wantTree(t, "untouched", three(), w.disk())
		if _, err := w.applier.Discard(t.Context(), testTask, nil); err != nil {
			t.Fatal(err)
		}
		wantTree(t, "untouched", three(), w.disk())
	})
}

// TestApplyKeepsModes is UP-021.
func TestApplyKeepsModes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name           string
		at, then, want os.FileMode
	}{
		{"UP-021/executable stays executable", 0o755, 0, 0o755},
		{"UP-021/private stays private", 0o600, 0, 0o600},
		{"UP-021/a mode given meanwhile is the person's", 0o644, 0o755, 0o755},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"go.sh": "old\n"})
			file := filepath.Join(w.dir, "go.sh")
			if err := os.Chmod(file, tc.at); err != nil {
				t.Fatal(err)
			}
			w.write("go.sh", "new\n")
			if tc.then != 0 {
				if err := os.Chmod(file, tc.then); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
				t.Fatal(err)
			}
			if got := mode(t, file); got != tc.want {
				t.Errorf("mode after apply is %v, want %v", got, tc.want)
			}
			if _, err := w.applier.Undo(t.Context(), testTask, nil); err != nil {
				t.Fatal(err)
			}
			if got := mode(t, file); got != tc.want {
				t.Errorf("mode after undo is %v, want %v", got, tc.want)
			}
		})
	}
	t.Run("UP-021/a command that sets the bit alone", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, map[string]string{"go.sh": "same\n"})
		if _, err := w.overlay.Stage(t.Context(), "", "s1", "go.sh", []byte("same\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
			t.Fatal(err)
		}
		if got := mode(t, filepath.Join(w.dir, "go.sh")); got != 0o755 {
			t.Errorf("mode after apply is %v", got)
		}
		if _, err := w.applier.Undo(t.Context(), testTask, nil); err != nil {
			t.Fatal(err)
		}
		if got := mode(t, filepath.Join(w.dir, "go.sh")); got != 0o644 {
			t.Errorf("mode after undo is %v", got)
		}
	})
}

// TestTempFolderPlaysNoPart is UP-013.
func TestTempFolderPlaysNoPart(t *testing.T) {
	t.Run("UP-013/TMPDIR is elsewhere or unusable", func(t *testing.T) {
		w := newThree(t)
		t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "not there"))
		if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
			t.Fatal(err)
		}
		wantTree(t, "applied", afterThree(), w.disk())
	})
}

func TestDiff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "1\n", "b.txt": "b\n", "run.sh": "x\n"}, "n.txt", "d/moved.txt")
	w.write("n.txt", "new")
	w.delete("b.txt")
	w.write("run.sh", "y\n")
	if _, err := w.coder().Move(t.Context(), "a.txt", "d/moved.txt"); err != nil {
		t.Fatal(err)
	}
	want := `diff --git a/b.txt b/b.txt
deleted file mode 100644
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-b
diff --git a/a.txt b/d/moved.txt
rename from a.txt
rename to d/moved.txt
diff --git a/n.txt b/n.txt
new file mode 100644
--- /dev/null
+++ b/n.txt
@@ -0,0 +1 @@
+new
\ No newline at end of file
diff --git a/run.sh b/run.sh
--- a/run.sh
+++ b/run.sh
@@ -1 +1 @@
-x
+y
`
	got, err := w.applier.Diff(t.Context(), testTask, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("diff (-want +got):\n%s", diff)
	}
	if _, err := w.applier.Discard(t.Context(), testTask, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := w.applier.Diff(t.Context(), testTask, nil); err != nil || got != "" {
		t.Errorf("after the discard: %q, %v", got, err)
	}
	if got, err := w.applier.Diff(t.Context(), testTask, []string{"run.sh"}); err != nil || !strings.Contains(got, "+y") {
		t.Errorf("by name: %q, %v", got, err)
	}
}
