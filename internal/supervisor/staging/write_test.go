package staging

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestReadFallsThroughToTheDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	w.write("a.txt", "ONE\n")
	got, err := w.coder().Read(t.Context(), "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := writ.File{Path: "a.txt", Content: []byte("ONE\n"), SHA256: hashOf([]byte("ONE\n")), Mode: 0o644, Staged: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("staged file (-want +got):\n%s", diff)
	}
	other, err := w.coder().Read(t.Context(), "./b.txt")
	if err != nil || string(other.Content) != "two\n" || other.Staged {
		t.Errorf("file on disk: %+v, %v", other, err)
	}
	if diff := cmp.Diff(map[string]string{"a.txt": "one\n", "b.txt": "two\n"}, w.disk()); diff != "" {
		t.Errorf("staging touched the workspace (-want +got):\n%s", diff)
	}
}

func TestManifest(t *testing.T) {
	t.Parallel()
	one, two := hashOf([]byte("1\n")), hashOf([]byte("2\n"))
	for _, tc := range []struct {
		name  string
		files map[string]string
		do    func(w *world)
		want  []writ.Change
	}{
		{"create", nil, func(w *world) { w.write("n.txt", "1\n") },
			[]writ.Change{{Path: "n.txt", Op: writ.OpCreate, AfterSHA256: one, Additions: 1, Mode: 0o644}}},
		{"modify", map[string]string{"a.txt": "1\n"}, func(w *world) { w.write("a.txt", "2\n") },
			[]writ.Change{{Path: "a.txt", Op: writ.OpModify, BeforeSHA256: one, AfterSHA256: two, Additions: 1, Deletions: 1, Mode: 0o644, BeforeMode: 0o644}}},
		{"delete", map[string]string{"a.txt": "1\n"}, func(w *world) { w.delete("a.txt") },
			[]writ.Change{{Path: "a.txt", Op: writ.OpDelete, BeforeSHA256: one, Deletions: 1, BeforeMode: 0o644}}},
		{"delete then create is modify", map[string]string{"a.txt": "1\n"}, func(w *world) { w.delete("a.txt"); w.write("a.txt", "2\n") },
			[]writ.Change{{Path: "a.txt", Op: writ.OpModify, BeforeSHA256: one, AfterSHA256: two, Additions: 1, Deletions: 1, Mode: 0o644, BeforeMode: 0o644}}},
		{"create then delete is nothing", nil, func(w *world) { w.write("n.txt", "1\n"); w.delete("n.txt") }, nil},
		{"the original written back is nothing", map[string]string{"a.txt": "1\n"}, func(w *world) { w.write("a.txt", "2\n"); w.write("a.txt", "1\n") }, nil},
		{"revert", map[string]string{"a.txt": "1\n"}, func(w *world) {
			w.write("a.txt", "2\n")
			if err := w.overlay.Revert(w.t.Context(), "a.txt"); err != nil {
				w.t.Fatal(err)
			}
		}, nil},
		{"the first touched content stays the before-image", map[string]string{"a.txt": "1\n"}, func(w *world) { w.write("a.txt", "3\n"); w.write("a.txt", "2\n") },
			[]writ.Change{{Path: "a.txt", Op: writ.OpModify, BeforeSHA256: one, AfterSHA256: two, Additions: 1, Deletions: 1, Mode: 0o644, BeforeMode: 0o644}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tc.files, "n.txt")
			tc.do(w)
			for i := range tc.want {
				tc.want[i].Status, tc.want[i].Step = writ.ChangeStaged, "s1"
			}
			if diff := cmp.Diff(tc.want, w.overlay.Changes()); diff != "" {
				t.Errorf("manifest (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.want, w.open().Changes()); diff != "" {
				t.Errorf("manifest after a restart (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBaseMustBeThePresentContent(t *testing.T) {
	t.Parallel()
	old := hashOf([]byte("old\n"))
	for _, tc := range []struct {
		name string
		do   func(w *world, ws writ.Workspace) error
	}{
		{"lock-05/a person saved after the read", func(w *world, ws writ.Workspace) error {
			w.edit("x.txt", "a person's\n")
			_, err := ws.Write(w.t.Context(), "x.txt", []byte("new\n"), old)
			return err
		}},
		{"UP-065/whole file from the older text", func(w *world, ws writ.Workspace) error {
			w.edit("x.txt", "old\nmine\n")
			_, err := ws.Write(w.t.Context(), "x.txt", []byte("old\nagent's\n"), old)
			return err
		}},
		{"UP-067/existing file never read", func(w *world, ws writ.Workspace) error {
			_, err := ws.Write(w.t.Context(), "x.txt", []byte("new\n"), ws.Shown("x.txt"))
			return err
		}},
		{"lock-05/person removed the file", func(w *world, ws writ.Workspace) error {
			if err := os.Remove(filepath.Join(w.dir, "x.txt")); err != nil {
				return err
			}
			_, err := ws.Write(w.t.Context(), "x.txt", []byte("new\n"), old)
			return err
		}},
		{"lock-05/delete of a newer file", func(w *world, ws writ.Workspace) error {
			w.edit("x.txt", "a person's\n")
			_, err := ws.Delete(w.t.Context(), "x.txt", old)
			return err
		}},
		{"UP-129/another step wrote meanwhile", func(w *world, ws writ.Workspace) error {
			w.write("x.txt", "the other step's\n")
			_, err := ws.Write(w.t.Context(), "x.txt", []byte("new\n"), old)
			return err
		}},
		{"lock-05/creation meets a file that a person made", func(w *world, ws writ.Workspace) error {
			w.edit("n.txt", "a person's\n")
			_, err := ws.Write(w.t.Context(), "n.txt", []byte("new\n"), "")
			return err
		}},
		{"lock-05/move onto a file", func(w *world, ws writ.Workspace) error {
			w.edit("n.txt", "a person's\n")
			_, err := ws.Move(w.t.Context(), "x.txt", "n.txt")
			return err
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"x.txt": "old\n"}, "n.txt")
			kept := func() []writ.Change { return w.overlay.Changes() }
			err := tc.do(w, w.overlay.View("coder", "s2"))
			wantCode(t, err, writ.CodeStaleFile)
			for _, c := range kept() {
				if c.Step == "s2" {
					t.Errorf("the refused act left %+v", c)
				}
			}
		})
	}
	t.Run("UP-065/after a new read the edit works and keeps the person's line", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, map[string]string{"x.txt": "old\n"})
		w.edit("x.txt", "old\nmine\n")
		w.write("x.txt", "new\nmine\n")
		if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"x.txt": "new\nmine\n"}, w.disk()); diff != "" {
			t.Errorf("disk (-want +got):\n%s", diff)
		}
	})
}

func TestShownIsKeptForEachAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"x.txt": "old\n"}, "n.txt", "m.txt")
	coder, tester := w.overlay.View("coder", "s1"), w.overlay.View("tester", "s1")
	coder.MarkShown("./x.txt", hashOf([]byte("old\n")))
	if got := tester.Shown("x.txt"); got != "" {
		t.Errorf("the tester was shown %q", got)
	}
	again := w.overlay.View("coder", "s2")
	if got := again.Shown("x.txt"); got != hashOf([]byte("old\n")) {
		t.Errorf("the coder's next step was shown %q", got)
	}
	if _, err := again.Write(t.Context(), "x.txt", []byte("new\n"), again.Shown("x.txt")); err != nil {
		t.Fatal(err)
	}
	if got := again.Shown("x.txt"); got != hashOf([]byte("new\n")) {
		t.Errorf("after its own write it knows %q", got)
	}
	if _, err := tester.Write(t.Context(), "x.txt", []byte("guess\n"), hashOf([]byte("new\n"))); err != nil {
		t.Fatal(err)
	}
	if got := tester.Shown("x.txt"); got != "" {
		t.Errorf("a write on an unseen base counts as shown: %q", got)
	}
}

func TestJudgedInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.json": "{}\n", "d/x.json": "{}\n"}, "n.json", ".git/hooks/pre-commit", "../out.json", "link.json")
	if err := os.Symlink("a.json", filepath.Join(w.dir, "link.json")); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	for _, tc := range []struct {
		name, path, content, base string
		want                      writ.Code
	}{
		{"outside before all", "../out.json", "{", "", writ.CodePathOutside},
		{"protected though locked", ".git/hooks/pre-commit", "{", "", writ.CodeProtectedPath},
		{"not locked before content", "other.json", "{", "", writ.CodeFileNotLocked},
		{"link before content", "link.json", "{", "", writ.CodePathInvalid},
		{"folder", "d", "{", "", writ.CodePathInvalid},
		{"stale before syntax", "a.json", "{", "", writ.CodeStaleFile},
		{"syntax", "n.json", "{", "", writ.CodeSyntaxInvalid},
		{"good", "n.json", "{}", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := w.coder().Write(t.Context(), tc.path, []byte(tc.content), tc.base)
			wantCode(t, err, tc.want)
		})
	}
	t.Run("too large before syntax", func(t *testing.T) {
		_, err := w.coder().Write(t.Context(), "n.json", []byte(strings.Repeat("{", DefaultMaxFile+1)), "")
		wantCode(t, err, writ.CodeTooLarge)
	})
}

func TestStagedPathsMustFitTogether(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, first, second string }{
		{"folder below a file", "n.txt", "n.txt/m.txt"},
		{"file above a file", "n.txt/m.txt", "n.txt"},
		{"second case of a new name", "Name.txt", "name.txt"},
		{"second Unicode form of a new name", "caf\u00e9.txt", "cafe\u0301.txt"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil, tc.first, tc.second)
			if _, err := w.coder().Write(t.Context(), tc.first, []byte("x\n"), ""); err != nil {
				t.Fatal(err)
			}
			_, err := w.coder().Write(t.Context(), tc.second, []byte("x\n"), "")
			wantCode(t, err, writ.CodePathInvalid)
		})
	}
}

func TestContentGate(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, path string
		before     string // "" for none
		content    string
		want       writ.Code
	}{
		{"broken source", "n.json", "", "{", writ.CodeSyntaxInvalid},
		{"broken while it was whole", "a.json", "{}", "{", writ.CodeSyntaxInvalid},
		{"still broken as in the workspace", "a.json", "{", "{ ", ""},
		{"repaired", "a.json", "{", "{}", ""},
		{"suspect never blocks", "a.sus", "x", "y", ""},
		{"state-11/NUL in source", "n.go", "", "package a\n\x00\n", writ.CodeSyntaxInvalid},
		{"state-11/NUL in text", "n.txt", "", "a\x00b", writ.CodeBinaryFile},
		{"other encoding introduced", "n.txt", "", "caf\xe9", writ.CodeBinaryFile},
		{"other encoding kept", "a.txt", "caf\xe9", "caf\xe9s", ""},
		{"UTF-16 with its mark", "n.txt", "", "\xff\xfea\x00", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{}
			if tc.before != "" {
				files[tc.path] = tc.before
			}
			w := newWorld(t, files, tc.path)
			_, err := w.coder().Write(t.Context(), tc.path, []byte(tc.content), w.seen(tc.path))
			wantCode(t, err, tc.want)
			if staged := len(w.overlay.Changes()) == 1; staged != (tc.want == "") {
				t.Errorf("changes: %+v", w.overlay.Changes())
			}
		})
	}
	t.Run("broken by this task is not an excuse", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, map[string]string{"a.json": "{}"})
		if _, err := w.overlay.Stage(t.Context(), "", "s1", "a.json", []byte("{"), 0); err != nil {
			t.Fatal(err)
		}
		_, err := w.coder().Write(t.Context(), "a.json", []byte("{ "), w.seen("a.json"))
		wantCode(t, err, writ.CodeSyntaxInvalid)
	})
	t.Run("the message names the place", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil, "n.json")
		_, err := w.coder().Write(t.Context(), "n.json", []byte("{"), "")
		if err == nil || !strings.Contains(err.Error(), "n.json:1:2: not JSON") {
			t.Errorf("error is %v", err)
		}
		if err := w.ledger.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"change.rejected n.json"}, w.events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

func TestModesAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"bin/go.sh": "old\n", "lock.txt": "old\n"}, "n.txt", "bin/new.sh")
	for rel, m := range map[string]os.FileMode{"bin/go.sh": 0o755, "lock.txt": 0o600} {
		if err := os.Chmod(filepath.Join(w.dir, rel), m); err != nil {
			t.Fatal(err)
		}
	}
	w.write("n.txt", "new\n")
	w.delete("lock.txt")
	w.write("lock.txt", "again\n")
	w.write("bin/go.sh", "new\n")
	if _, err := w.coder().Move(t.Context(), "bin/go.sh", "bin/new.sh"); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range w.overlay.Changes() {
		got[c.Path] = c.Mode.String()
	}
	want := map[string]string{"bin/go.sh": "----------", "bin/new.sh": "-rwxr-xr-x", "lock.txt": "-rw-------", "n.txt": "-rw-r--r--"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
}

// TestTwoStepsOneFile is UP-129: whatever the order, no edit is lost.
func TestTwoStepsOneFile(t *testing.T) {
	t.Parallel()
	t.Run("UP-129/two writers at once", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, map[string]string{"util.txt": ""})
		const writers = 8
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				ws := w.overlay.View("coder", "s"+string(rune('a'+i)))
				for {
					f, err := ws.Read(t.Context(), "util.txt")
					if err != nil {
						t.Error(err)
						return
					}
					next := string(f.Content) + string(rune('a'+i)) + "\n"
					_, err = ws.Write(t.Context(), "util.txt", []byte(next), f.SHA256)
					if err == nil {
						return
					}
					if writ.CodeOf(err) != writ.CodeStaleFile {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		content, _, err := w.overlay.Content(t.Context(), "util.txt")
		if err != nil {
			t.Fatal(err)
		}
		got := sorted(strings.Fields(string(content))...)
		if diff := cmp.Diff(strings.Split("a b c d e f g h", " "), got); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	})
	t.Run("UP-129/one after the other", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, map[string]string{"util.go": "package util\n"})
		w.write("util.go", "package util\n\nfunc Two() {}\n")
		w.write("util.go", "package util\n\nfunc Three() {}\n\nfunc Two() {}\n")
		if n := len(w.overlay.Changes()); n != 1 {
			t.Errorf("%d changes for one file", n)
		}
	})
}

func TestContentAndBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "1\n", "b.txt": "2\n", "c.txt": "3\n"}, "n.txt")
	w.write("a.txt", "one\n")
	w.delete("b.txt")
	w.write("n.txt", "new\n")
	w.edit("a.txt", "a person's\n") // the before-image is the store's, not the disk's
	type seen struct {
		Content string
		Exists  bool
	}
	look := func(f func(context.Context, string) ([]byte, bool, error), path string) seen {
		content, exists, err := f(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return seen{string(content), exists}
	}
	got := map[string][2]seen{}
	for _, p := range []string{"a.txt", "b.txt", "c.txt", "n.txt", "none.txt"} {
		got[p] = [2]seen{look(w.overlay.Before, p), look(w.overlay.Content, p)}
	}
	want := map[string][2]seen{
		"a.txt":    {{"1\n", true}, {"one\n", true}},
		"b.txt":    {{"2\n", true}, {}},
		"c.txt":    {{"3\n", true}, {"3\n", true}},
		"n.txt":    {{}, {"new\n", true}},
		"none.txt": {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("before and after (-want +got):\n%s", diff)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "1\n", "b.txt": "2\n"}, "n.txt", ".env")
	w.edit("sub/.env", "KEY=1\n")
	w.delete("b.txt")
	w.write("n.txt", "new\n")
	got, err := w.coder().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.txt", "n.txt"}, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestRefusalsOfTheView(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "1\n"})
	ws := w.coder()
	wantCode(t, ws.Request(t.Context(), "b.txt", "why not"), writ.CodeFileNotLocked)
	_, err := ws.RunCommand(t.Context(), "test")
	wantCode(t, err, writ.CodeToolUnknown)
	_, err = ws.Delete(t.Context(), "a.txt", "")
	wantCode(t, err, writ.CodeStaleFile)
	w.delete("a.txt")
	_, err = ws.Read(t.Context(), "a.txt")
	wantCode(t, err, writ.CodeFileNotFound)
	_, err = ws.Delete(t.Context(), "a.txt", "")
	wantCode(t, err, writ.CodeFileNotFound)
}
