package guard

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestCheckTarget(t *testing.T) {
	t.Parallel()
	r, _ := workspace(t, map[string]string{
		"a.txt": "", "d/x.txt": "", "alias.md": "-> a.txt", "in": "-> d", "out": "-> ../canary", "gone": "-> nowhere", "hooks": "-> .git/hooks", ".git/hooks/x": "",
		"sub/.git": "gitdir: ../.git/modules/sub\n", "sub/main.c": "", "clone/.git/HEAD": "", "clone/deep/b.c": "",
		"bare/HEAD": "ref: x\n", "bare/objects/x": "", "bare/refs/x": "",
	})
	for _, tc := range []struct {
		name, rel string
		want      writ.Code
		says      string
	}{
		{"regular", "a.txt", "", ""},
		{"absent", "new/deep/b.txt", "", ""},
		{"folder", "d", writ.CodePathInvalid, "is a folder"},
		{"below a file", "a.txt/b", writ.CodePathInvalid, "where a folder would have to be"},
		{"path-13/a link", "alias.md", writ.CodePathInvalid, "passes the link alias.md"},
		{"path-13/below an inner link", "in/x.txt", writ.CodePathInvalid, "passes the link in"},
		{"path-13/below a link out", "out/new.txt", writ.CodePathOutside, "leads out"},
		{"path-13/a link that leads nowhere", "gone", writ.CodePathInvalid, "leads nowhere"},
		{"path-13/below a link to git's folder", "hooks/pre-push", writ.CodeProtectedPath, "git's own folder"},
		{"path-13/a submodule", "sub/main.c", writ.CodePathInvalid, "another repository"},
		{"path-13/a nested clone", "clone/deep/b.c", writ.CodePathInvalid, "another repository"},
		{"path-13/a bare repository's settings", "bare/config", writ.CodeProtectedPath, "bare git repository"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := r.CheckTarget(tc.rel)
			wantCode(t, tc.rel, err, tc.want)
			if err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("says %q, want %q in it", err, tc.says)
			}
			if tc.want != "" {
				wantCode(t, "Replace", r.Replace(t.Context(), tc.rel, []byte("x"), 0, ""), tc.want)
			}
		})
	}
}

func TestLinkRefusalNamesTheTarget(t *testing.T) {
	t.Parallel()
	r, _ := workspace(t, map[string]string{"d/x.txt": "", "in": "-> d", "CLAUDE.md": "-> AGENTS.md", "AGENTS.md": ""})
	got := map[string]string{}
	for _, rel := range []string{"in/x.txt", "CLAUDE.md"} {
		if e, ok := r.CheckTarget(rel).(*writ.Error); ok {
			got[rel] = e.Advice()
		}
	}
	want := map[string]string{"in/x.txt": "name the target instead: d/x.txt", "CLAUDE.md": "name the target instead: AGENTS.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLocks(t *testing.T) {
	t.Parallel()
	r, _ := workspace(t, map[string]string{"oven.go": "", "lib/timer.go": "", "src/index.js": ""})
	for _, tc := range []struct {
		name  string
		locks []string
		path  string
		want  writ.Code
	}{
		{"lock-01/a planned file", []string{"oven.go"}, "oven.go", ""},
		{"lock-01/a planned file in another form", []string{"oven.go"}, "./oven.go", ""},
		{"lock-01/an existing file outside the plan", []string{"oven.go"}, "lib/timer.go", writ.CodeFileNotLocked},
		{"lock-01/a new file outside the plan", []string{"oven.go"}, "lib/clock.go", writ.CodeFileNotLocked},
		{"lock-01/a neighbour that begins alike", []string{"oven.go"}, "oven.go.bak", writ.CodeFileNotLocked},
		{"lock-03/everything by a pattern", []string{"**"}, "src/index.js", writ.CodeFileNotLocked},
		{"lock-03/a folder by a pattern", []string{"src/*"}, "src/new.js", writ.CodeFileNotLocked},
		{"lock-03/a folder by its name", []string{"src"}, "src/index.js", writ.CodeFileNotLocked},
		{"lock-03/the empty name", []string{""}, "src/index.js", writ.CodeFileNotLocked},
		{"lock-05/nothing is locked after the end", nil, "oven.go", writ.CodeFileNotLocked},
		{"path before lock", nil, "../x", writ.CodePathOutside},
		{"protected before lock", nil, ".npmrc", writ.CodeProtectedPath},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := &Guard{Root: r, Locks: NewLockSet(tc.locks...)}
			_, err := g.JudgeWrite(tc.path)
			wantCode(t, tc.path, err, tc.want)
		})
	}
}

func TestLockSetIsShared(t *testing.T) {
	t.Parallel()
	s := NewLockSet("b", "a")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				s.Add("c")
				s.Has("a")
				s.Files()
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff([]string{"a", "b", "c"}, s.Files()); diff != "" {
		t.Error(diff)
	}
	s.Clear()
	if s.Has("a") || len(s.Files()) != 0 {
		t.Error("cleared and not empty")
	}
	var zero LockSet
	if zero.Has("a") {
		t.Error("the zero set holds a file")
	}
	zero.Add("a")
	if !zero.Has("a") {
		t.Error("the zero set takes no file")
	}
}
