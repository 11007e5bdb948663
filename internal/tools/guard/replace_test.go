package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	old := Hash([]byte("old\n"))
	for _, tc := range []struct {
		name, rel, base string
		mode            os.FileMode
		want            writ.Code
		content         string // afterwards; "" is absent
		perm            os.FileMode
	}{
		{"replaces what was read", "run.sh", old, 0, "", "new\n", 0o755},
		{"sets a mode", "run.sh", old, 0o600, "", "new\n", 0o600},
		{"makes a file and its folders", "a/b/c.txt", "", 0o640, "", "new\n", 0o640},
		{"makes a file in a folder", "d/new.txt", "", 0, "", "new\n", 0},
		{"lock-05/a person's newer text", "run.sh", Hash([]byte("older\n")), 0, writ.CodeStaleFile, "old\n", 0o755},
		{"lock-05/a file that appeared", "run.sh", "", 0, writ.CodeStaleFile, "old\n", 0o755},
		{"lock-05/a file that vanished", "gone.txt", old, 0, writ.CodeStaleFile, "", 0},
		{"lock-05/a folder that vanished", "no/gone.txt", old, 0, writ.CodeStaleFile, "", 0},
		{"a folder is not replaced", "d", old, 0, writ.CodePathInvalid, "", 0},
		{"a file is no folder", "run.sh/x", "", 0, writ.CodePathInvalid, "", 0},
		{"a path that was not cleaned", "./d/x", "", 0, writ.CodePathInvalid, "", 0},
		{"path-01/a climb", "../x", "", 0, writ.CodePathOutside, "", 0},
		{"path-03/an absolute path", "/etc/x", "", 0, writ.CodePathInvalid, "", 0},
		{"autoexec-01/git's folder", ".git/hooks/x", "", 0, writ.CodeProtectedPath, "", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, ws := workspace(t, map[string]string{"run.sh": "old\n", "d/x": ""})
			if err := os.Chmod(filepath.Join(ws, "run.sh"), 0o755); err != nil {
				t.Fatal(err)
			}
			wantCode(t, tc.rel, r.Replace(t.Context(), tc.rel, []byte("new\n"), tc.mode, tc.base), tc.want)
			noTemps(t, ws)
			if plain(tc.rel) != nil {
				return
			}
			got, err := r.Read(t.Context(), tc.rel, 0)
			if tc.content == "" {
				if err == nil {
					t.Errorf("a file is there: %q", got.Content)
				}
				if _, err := os.Lstat(filepath.Join(ws, "no")); err == nil {
					t.Error("a folder was left behind")
				}
				return
			}
			if string(got.Content) != tc.content || tc.perm != 0 && runtime.GOOS != "windows" && got.Mode != uint32(tc.perm) {
				t.Errorf("%s: %q mode %o, %v", tc.rel, got.Content, got.Mode, err)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	old := Hash([]byte("old\n"))
	r, ws := workspace(t, map[string]string{"a/b/x.txt": "old\n", "a/y.txt": "old\n", "d/z.txt": "old\n"})
	wantCode(t, "stale", r.Remove(t.Context(), "d/z.txt", Hash(nil)), writ.CodeStaleFile)
	wantCode(t, "no base", r.Remove(t.Context(), "d/z.txt", ""), writ.CodeStaleFile)
	wantCode(t, "absent", r.Remove(t.Context(), "d/none.txt", old), writ.CodeStaleFile)
	wantCode(t, "absent folder", r.Remove(t.Context(), "e/none.txt", old), writ.CodeStaleFile)
	wantCode(t, "folder", r.Remove(t.Context(), "d", old), writ.CodePathInvalid)
	wantCode(t, "match", r.Remove(t.Context(), "a/b/x.txt", old), "")
	noTemps(t, ws)
	if got := slurp(t, filepath.Join(ws, "d/z.txt")); got != "old\n" {
		t.Errorf("a refused removal left %q", got)
	}
	if err := r.RemoveEmptyDirs("a/b/x.txt"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(ws, "a/b")); !os.IsNotExist(err) {
		t.Error("the empty folder is still there")
	}
	if got := slurp(t, filepath.Join(ws, "a/y.txt")); got != "old\n" {
		t.Errorf("a neighbour became %q", got)
	}
}

func TestHardLinkKeepsItsContent(t *testing.T) {
	t.Parallel()
	r, ws := workspace(t, map[string]string{"a.txt": "old\n"})
	elsewhere := filepath.Join(filepath.Dir(ws), "elsewhere.txt")
	if err := os.Link(filepath.Join(ws, "a.txt"), elsewhere); err != nil {
		t.Skip(err)
	}
	if err := r.Replace(t.Context(), "a.txt", []byte("new\n"), 0, Hash([]byte("old\n"))); err != nil {
		t.Fatal(err)
	}
	if got := slurp(t, elsewhere); got != "old\n" {
		t.Errorf("the other name of the file became %q", got)
	}
}

// during runs fn once, before the named step of the next write.
func during(step string, fn func()) Option {
	done := false
	return WithSteps(func(s string) {
		if s == step && !done {
			done = true
			fn()
		}
	})
}

func TestAPersonSavesMeanwhile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the exchange of two names is Linux's")
	}
	for _, tc := range []struct {
		name, step string
		save       func(t *testing.T, file string)
		want       string // the file afterwards; "" is absent
		remove     bool
	}{
		{"lock-05/in place, before the exchange", "rename:before", inPlace("theirs\n"), "theirs\n", false},
		{"lock-05/by a new file, before the exchange", "rename:before", byRename("theirs\n"), "theirs\n", false},
		{"lock-05/removed before the exchange", "rename:before", func(t *testing.T, f string) { os.Remove(f) }, "", false},
		{"lock-05/removed and made again", "rename:before", func(t *testing.T, f string) { os.Remove(f); inPlace("theirs\n")(t, f) }, "theirs\n", false},
		{"lock-05/before the content is written", "write:before", inPlace("theirs\n"), "theirs\n", false},
		{"lock-05/before a removal", "rename:before", inPlace("theirs\n"), "theirs\n", true},
		{"lock-05/by a new file before a removal", "rename:before", byRename("theirs\n"), "theirs\n", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var file string
			r, ws := workspace(t, map[string]string{"a.txt": "old\n"}, during(tc.step, func() { tc.save(t, file) }))
			file = filepath.Join(ws, "a.txt")
			base := Hash([]byte("old\n"))
			var err error
			if tc.remove {
				err = r.Remove(t.Context(), "a.txt", base)
			} else {
				err = r.Replace(t.Context(), "a.txt", []byte("ours\n"), 0, base)
			}
			wantCode(t, tc.name, err, writ.CodeStaleFile)
			noTemps(t, ws)
			b, err := os.ReadFile(file)
			if string(b) != tc.want || tc.want == "" && !os.IsNotExist(err) {
				t.Errorf("the file is %q, %v; want %q", b, err, tc.want)
			}
		})
	}
}

func TestAPersonSavesTwice(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the exchange of two names is Linux's")
	}
	var file string
	r, ws := workspace(t, map[string]string{"a.txt": "old\n"}, WithSteps(func(step string) {
		switch step {
		case "rename:before":
			byRename("first\n")(t, file)
		case "verify:before":
			byRename("second\n")(t, file)
		}
	}))
	file = filepath.Join(ws, "a.txt")
	wantCode(t, "Replace", r.Replace(t.Context(), "a.txt", []byte("ours\n"), 0, Hash([]byte("old\n"))), writ.CodeStaleFile)
	noTemps(t, ws)
	if got := slurp(t, file); got != "second\n" {
		t.Errorf("the newest save is %q", got)
	}
}

func inPlace(text string) func(*testing.T, string) {
	return func(t *testing.T, file string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	}
}

func byRename(text string) func(*testing.T, string) {
	return func(t *testing.T, file string) {
		t.Helper()
		inPlace(text)(t, file+"~editor")
		if err := os.Rename(file+"~editor", file); err != nil {
			t.Error(err)
		}
	}
}

func TestReplaceWithoutExchangeStillCompares(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 240) + ".txt" // no room for the name in a temporary one
	var file string
	r, ws := workspace(t, map[string]string{long: "old\n"}, during("sync:after", func() { inPlace("theirs\n")(t, file) }))
	file = filepath.Join(ws, long)
	base := Hash([]byte("old\n"))
	wantCode(t, "Replace", r.Replace(t.Context(), long, []byte("ours\n"), 0, base), writ.CodeStaleFile)
	if got := slurp(t, file); got != "theirs\n" {
		t.Errorf("the file is %q", got)
	}
	if err := r.Replace(t.Context(), long, []byte("ours\n"), 0, Hash([]byte("theirs\n"))); err != nil {
		t.Fatal(err)
	}
	if err := r.Remove(t.Context(), long, Hash([]byte("ours\n"))); err != nil {
		t.Fatal(err)
	}
	noTemps(t, ws)
}

func TestFaultsLeaveTheOldContent(t *testing.T) {
	t.Parallel()
	type action struct {
		name string
		run  func(r *Root) error
	}
	base := Hash([]byte("old\n"))
	ctx := context.Background()
	for _, a := range []action{
		{"replace", func(r *Root) error { return r.Replace(ctx, "a.txt", []byte("new\n"), 0, base) }},
		{"create", func(r *Root) error { return r.Replace(ctx, "x/y/n.txt", []byte("new\n"), 0, "") }},
		{"remove", func(r *Root) error { return r.Remove(ctx, "a.txt", base) }},
	} {
		for _, step := range steps(t, a.run) {
			for _, errno := range []error{syscall.ENOSPC, syscall.EROFS, syscall.EACCES, syscall.EIO} {
				t.Run(a.name+"/"+step+"/"+errno.Error(), func(t *testing.T) {
					t.Parallel()
					r, ws := workspace(t, map[string]string{"a.txt": "old\n"})
					r.fault = func(s string) error {
						if s == step {
							return &os.PathError{Op: "x", Path: "secret/temp", Err: errno}
						}
						return nil
					}
					err := a.run(r)
					wantCode(t, a.name, err, writ.CodeInternal, writ.CodeStaleFile)
					var e *writ.Error
					if !errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "secret/temp") || e.Advice() == "" {
						t.Errorf("not one clear line: %v", err)
					}
					if step == "syncdir" {
						return // published, only not yet known to be on the disk
					}
					r.fault = nil
					noTemps(t, ws)
					if got := slurp(t, filepath.Join(ws, "a.txt")); got != "old\n" {
						t.Errorf("the old content is %q", got)
					}
					if _, err := os.Lstat(filepath.Join(ws, "x")); err == nil {
						t.Error("a folder was left behind")
					}
				})
			}
		}
	}
}

// steps are the steps that an action takes.
func steps(t *testing.T, run func(*Root) error) []string {
	t.Helper()
	var names []string
	seen := map[string]bool{}
	r, _ := workspace(t, map[string]string{"a.txt": "old\n"}, WithSteps(func(s string) {
		name, isBefore := strings.CutSuffix(s, ":before")
		if isBefore && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}))
	if err := run(r); err != nil {
		t.Fatal(err)
	}
	return names
}

func TestStepsAreNamed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("other systems take fewer steps")
	}
	base := Hash([]byte("old\n"))
	got := [][]string{
		steps(t, func(r *Root) error { return r.Replace(t.Context(), "a.txt", []byte("new\n"), 0, base) }),
		steps(t, func(r *Root) error { return r.Replace(t.Context(), "x/n.txt", []byte("new\n"), 0, "") }),
		steps(t, func(r *Root) error { return r.Remove(t.Context(), "a.txt", base) }),
	}
	want := [][]string{
		{"create", "write", "chmod", "sync", "seal", "rename", "verify", "discard", "syncdir"},
		{"mkdir", "create", "write", "chmod", "sync", "rename", "syncdir"},
		{"rename", "verify", "discard", "syncdir"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRightsThatAreMissing(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("root may write everywhere")
	}
	r, ws := workspace(t, map[string]string{"d/a.txt": "old\n", "closed.txt": "x"})
	if err := os.Chmod(filepath.Join(ws, "d"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(ws, "d"), 0o755) })
	err := r.Replace(t.Context(), "d/a.txt", []byte("new\n"), 0, Hash([]byte("old\n")))
	wantCode(t, "Replace", err, writ.CodeInternal)
	if err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("says %v", err)
	}
	if err := os.Chmod(filepath.Join(ws, "closed.txt"), 0); err != nil {
		t.Fatal(err)
	}
	_, err = r.Read(t.Context(), "closed.txt", 0)
	wantCode(t, "Read", err, writ.CodePathInvalid)
}
