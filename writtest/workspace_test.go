package writtest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/writtest"
)

func newWorkspace() *writtest.Workspace {
	return writtest.NewWorkspace(writtest.WorkspaceOptions{
		Files:  map[string]string{"a.go": "package a\n", "dir/b.go": "package b\n", "c.go": "package c\n"},
		Locked: []string{"a.go", "new.go", "dir/b.go"},
	})
}

func TestWorkspaceJudgesPathsInOrder(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		path string
		want writ.Code
	}{
		"outside":            {"../x.go", writ.CodePathOutside},
		"absolute":           {"/etc/passwd", writ.CodePathOutside},
		"home":               {"~/x", writ.CodePathOutside},
		"address":            {"file:///etc/passwd", writ.CodePathOutside},
		"climbs inside":      {"dir/../a.go", writ.CodePathInvalid},
		"backslash":          {`dir\b.go`, writ.CodePathInvalid},
		"control character":  {"a\x00.go", writ.CodePathInvalid},
		"folder":             {"dir", writ.CodePathInvalid},
		"git":                {"sub/.GIT/config", writ.CodeProtectedPath},
		"settings":           {"writ.yaml", writ.CodeProtectedPath},
		"not locked":         {"c.go", writ.CodeFileNotLocked},
		"locked, wrong base": {"a.go", writ.CodeStaleFile},
		"absolute inside":    {writtest.WorkspaceDir + "/c.go", writ.CodeFileNotLocked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ws := newWorkspace()
			if _, err := ws.Write(t.Context(), tc.path, []byte("x"), "no such hash"); writ.CodeOf(err) != tc.want {
				t.Errorf("Write(%q) = %v, want %s", tc.path, err, tc.want)
			}
			if _, err := ws.Delete(t.Context(), tc.path, "no such hash"); writ.CodeOf(err) != tc.want {
				t.Errorf("Delete(%q) = %v, want %s", tc.path, err, tc.want)
			}
			if changes := ws.Changes(); len(changes) != 0 {
				t.Errorf("a refused call staged %+v", changes)
			}
		})
	}
}

func TestWorkspaceStagesOnTheRightBaseOnly(t *testing.T) {
	t.Parallel()
	ws, ctx := newWorkspace(), t.Context()
	read := func(path string) writ.File {
		t.Helper()
		f, err := ws.Read(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	old := read("a.go")
	ws.SetDisk("a.go", "package a // by hand\n")
	if _, err := ws.Write(ctx, "a.go", []byte("x"), old.SHA256); writ.CodeOf(err) != writ.CodeStaleFile {
		t.Fatalf("a write on an old version = %v, want STALE_FILE", err)
	}
	if _, err := ws.Write(ctx, "a.go", []byte("x"), ""); writ.CodeOf(err) != writ.CodeStaleFile {
		t.Fatalf("creating an existing file = %v, want STALE_FILE", err)
	}
	if _, err := ws.Write(ctx, "a.go", []byte("package x\n"), read("a.go").SHA256); err != nil {
		t.Fatal(err)
	}
	if f := read("a.go"); !f.Staged || string(f.Content) != "package x\n" {
		t.Errorf("the staged version is not read back: %+v", f)
	}
	if _, err := ws.Write(ctx, "a.go", []byte("package a // by hand\n"), read("a.go").SHA256); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]writ.Change{}, ws.Changes()); diff != "" {
		t.Errorf("writing the original back is a change:\n%s", diff)
	}
}

func TestWorkspaceMovesAndLists(t *testing.T) {
	t.Parallel()
	ws, ctx := newWorkspace(), t.Context()
	if _, err := ws.Move(ctx, "a.go", "dir/b.go"); writ.CodeOf(err) != writ.CodeStaleFile {
		t.Fatalf("a move onto a file = %v, want STALE_FILE", err)
	}
	if _, err := ws.Move(ctx, "a.go", "new.go"); err != nil {
		t.Fatal(err)
	}
	names, err := ws.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c.go", "dir/b.go", "new.go"}, names); diff != "" {
		t.Errorf("List:\n%s", diff)
	}
	var ops []writ.ChangeOp
	for _, c := range ws.Changes() {
		ops = append(ops, c.Op)
	}
	if diff := cmp.Diff([]writ.ChangeOp{writ.OpDelete, writ.OpMove}, ops); diff != "" {
		t.Errorf("Changes:\n%s", diff)
	}
}

func TestWorkspaceGrantsWhatItIsToldTo(t *testing.T) {
	t.Parallel()
	ws := writtest.NewWorkspace(writtest.WorkspaceOptions{Grant: func(string, string) error { return nil }})
	if err := ws.Request(t.Context(), ".git/config", "why"); writ.CodeOf(err) != writ.CodeProtectedPath {
		t.Errorf("Request of a protected path = %v", err)
	}
	if err := ws.Request(t.Context(), "x.go", "why"); err != nil {
		t.Fatal(err)
	}
	if _, err := ws.Write(t.Context(), "x.go", []byte("package x\n"), ""); err != nil {
		t.Errorf("a granted file cannot be written: %v", err)
	}
	if err := newWorkspace().Request(t.Context(), "x.go", "why"); writ.CodeOf(err) != writ.CodeFileNotLocked {
		t.Errorf("Request without a Grant = %v, want FILE_NOT_LOCKED", err)
	}
}
