package gitx

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/writ-dev/writ"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	needGit(t)
	tree := map[string]string{
		".gitignore": "bin/*\n!bin/www/\n*.log\n/out\ntracked.log\n\\#odd\nblank\\ \n", "bin/junk.js": "", "bin/www/start.js": "", "lib/x.py": "", "a.log": "", "lib/b.log": "",
		"out/o": "", "lib/out/o": "", "lib/.gitignore": "!b.log\n", "Größe\u202f.md": "", "#odd": "", "-n.py": "", "link": "-> lib/x.py", "out.md": "", "blank ": "",
		".writ-w00000000000000000000000000000000aaaaaaaa-x.tmp": "",
	}
	want := []string{"-n.py", ".gitignore", "Größe\u202f.md", "bin/www/start.js", "lib/.gitignore", "lib/b.log", "lib/out/o", "lib/x.py", "link", "out.md"}
	for name, r := range map[string]*Repo{
		"up-111/in a repository":      open(t, project(t, true, tree)),
		"up-111/outside a repository": open(t, project(t, false, tree)),
		"up-111/without git":          withoutGit(t, project(t, false, tree)),
	} {
		got, err := r.Files(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestFilesFollowTheWorkTree(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := project(t, true, map[string]string{"kept.log": "", "gone.txt": "", "sub/a.go": "", "sub/deep/b.go": "", "build/x": ""})
	put(t, dir, ".gitignore", "*.log\nbuild/\n")
	put(t, dir, "new.txt", "")
	put(t, dir, "build/y", "")
	put(t, dir, "nested/.git/HEAD", "ref: refs/heads/x\n")
	put(t, dir, "nested/.git/objects/x", "")
	put(t, dir, "nested/.git/refs/x", "")
	put(t, dir, "nested/n.c", "")
	if err := os.Remove(filepath.Join(dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, sub string
		want      []string
	}{
		{"from the top", "", []string{".gitignore", "build/x", "kept.log", "new.txt", "sub/a.go", "sub/deep/b.go"}},
		{"from a folder below", "sub", []string{"a.go", "deep/b.go"}},
	} {
		got, err := open(t, filepath.Join(dir, tc.sub)).Files(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

func TestWorkspaceThatAnOuterRepositoryIgnores(t *testing.T) {
	t.Parallel()
	needGit(t)
	outer := project(t, true, map[string]string{".gitignore": "scratch/\n", "scratch/ws/a.py": "", "scratch/ws/x.log": "", "scratch/ws/.gitignore": "*.log\n"})
	got, err := open(t, filepath.Join(outer, "scratch/ws")).Files(t.Context())
	if diff := cmp.Diff([]string{".gitignore", "a.py"}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestWritignoreAddsToGit(t *testing.T) {
	t.Parallel()
	needGit(t)
	tree := map[string]string{".writignore": "fixtures/\n*.csv\n!keep.csv\n", "fixtures/huge/a.py": "", "a.csv": "", "keep.csv": "", "src/a.py": "", "src/.writignore": "*.gen.py\n", "src/b.gen.py": "", ".gitignore": "x.csv\n"}
	want := []string{".gitignore", ".writignore", "keep.csv", "src/.writignore", "src/a.py"}
	for name, r := range map[string]*Repo{"tracked": open(t, project(t, true, tree)), "no repository": open(t, project(t, false, tree)), "no git": withoutGit(t, project(t, false, tree))} {
		got, err := r.Files(t.Context())
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestRepositoryLostOnTheWay(t *testing.T) {
	t.Parallel()
	needGit(t)
	for name, lose := range map[string]func(dir string) error{
		"up-153/removed": func(dir string) error { return os.RemoveAll(filepath.Join(dir, ".git")) },
		"up-153/broken index": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ".git/index"), []byte("garbage"), 0o644)
		},
		"up-153/broken head": func(dir string) error { return os.WriteFile(filepath.Join(dir, ".git/HEAD"), []byte("?"), 0o644) },
	} {
		dir := project(t, true, map[string]string{"a.js": "", ".gitignore": "x\n", "x": ""})
		r := open(t, dir)
		if err := lose(dir); err != nil {
			t.Fatal(err)
		}
		got, err := r.Files(t.Context())
		if diff := cmp.Diff([]string{".gitignore", "a.js"}, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
		_, _, err = r.DeliverBranch(t.Context(), "writ/x", "m", []BranchFile{{Path: "a.js", Content: []byte("1")}})
		if name == "up-153/broken index" {
			if err != nil {
				t.Errorf("%s: delivery needs the user's index: %v", name, err)
			}
			continue
		}
		if err == nil || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "fatal:") {
			t.Errorf("%s: delivery says %v", name, err)
		}
	}
}

func TestLinkedWorkTree(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := project(t, true, map[string]string{"a.js": "a"})
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, dir, "worktree", "add", "-q", "-b", "side", linked)
	put(t, linked, "b.js", "")
	r := open(t, linked)
	got, err := r.Files(t.Context())
	if diff := cmp.Diff([]string{"a.js", "b.js"}, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	head, err := r.HeadInfo(t.Context())
	if err != nil || head.Branch != "side" || len(head.Commit) != 40 {
		t.Errorf("HeadInfo = %+v, %v", head, err)
	}
}

func TestSubmoduleIsNotListed(t *testing.T) {
	t.Parallel()
	needGit(t)
	inner := project(t, true, map[string]string{"inner.c": ""})
	dir := project(t, true, map[string]string{"a.c": ""})
	git(t, dir, "submodule", "add", "-q", inner, "lib")
	got, err := open(t, dir).Files(t.Context())
	if diff := cmp.Diff([]string{".gitmodules", "a.c"}, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestWorkspaceMovedAwayIsNotListed(t *testing.T) {
	t.Parallel()
	dir := project(t, false, map[string]string{"a.js": ""})
	for name, r := range map[string]*Repo{"path-23/with git": open(t, dir), "path-23/without": withoutGit(t, dir)} {
		if err := os.Rename(dir, dir+"-moved"); err != nil {
			t.Fatal(err)
		}
		put(t, dir, "canary.txt", "")
		if got, err := r.Files(t.Context()); writ.CodeOf(err) != writ.CodePathOutside {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(dir+"-moved", dir); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGlobalExcludesCount(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := project(t, true, map[string]string{"a.js": ""})
	put(t, dir, "scratch.tmp1", "")
	put(t, dir, "scratch.tmp2", "")
	conf := t.TempDir()
	put(t, conf, "git/ignore", "*.tmp1\n")
	got, err := open(t, dir, "XDG_CONFIG_HOME="+conf).Files(t.Context())
	if diff := cmp.Diff([]string{"a.js", "scratch.tmp2"}, got); err != nil || diff != "" {
		t.Errorf("default place: %v %s", err, diff)
	}
	put(t, conf, "mine", "*.tmp2\n")
	put(t, conf, "git/config", "[core]\n\texcludesFile = "+filepath.Join(conf, "mine")+"\n")
	got, err = open(t, dir, "XDG_CONFIG_HOME="+conf).Files(t.Context())
	if diff := cmp.Diff([]string{"a.js", "scratch.tmp1"}, got); err != nil || diff != "" {
		t.Errorf("configured: %v %s", err, diff)
	}
}

// TestWalkAgreesWithGit makes random trees and ignore files and compares our
// own walk with git's answer.
func TestWalkAgreesWithGit(t *testing.T) {
	t.Parallel()
	needGit(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "ab", "a.log", "b.txt", "c d", "[x]", "out"}
	lines := []string{"a", "/a", "a/", "*.log", "!*.log", "b*", "/b/", "**/a", "a/**", "**/b/**", "a/**/b", "?", "[ab]", "[!a]", "!a", "!b/", "c\\ d", "c d ", "\\[x\\]", "[[:alpha:]]", "*", "!/a", "/*", "a/b", "!a/b", "#a", "out/*", "!out/a", "ab/"}
	for round := range 40 {
		dir := project(t, false, nil)
		for range 25 {
			parts := []string{}
			for range 1 + rnd.IntN(3) {
				parts = append(parts, names[rnd.IntN(len(names))])
			}
			full := filepath.Join(dir, filepath.Join(parts...))
			if os.MkdirAll(filepath.Dir(full), 0o755) == nil {
				os.WriteFile(full, nil, 0o644)
			}
		}
		var rules []string
		for _, where := range []string{"", "a", "b", "out"} {
			if info, err := os.Stat(filepath.Join(dir, where)); err != nil || !info.IsDir() {
				continue
			}
			var b bytes.Buffer
			for range rnd.IntN(5) {
				fmt.Fprintln(&b, lines[rnd.IntN(len(lines))])
			}
			os.WriteFile(filepath.Join(dir, where, ".gitignore"), b.Bytes(), 0o644)
			rules = append(rules, where+": "+strings.ReplaceAll(b.String(), "\n", " | "))
		}
		want, err := open(t, dir).Files(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := withoutGit(t, dir).Files(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("round %d: %s\n%s", round, strings.Join(rules, "\n"), diff)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	if got := split([]byte("a\x00b c\x00\xff\x00")); !slices.Equal(got, []string{"a", "b c", "\xff"}) {
		t.Errorf("split = %q", got)
	}
}

func FuzzParseIgnore(f *testing.F) {
	f.Add([]byte("a\n!b\r\n\\#c\n[\n"), "a/b")
	f.Add([]byte("\xef\xbb\xbf**/x/ \n"), "x")
	f.Fuzz(func(t *testing.T, text []byte, rel string) {
		for _, rule := range parseIgnore(text) {
			rule.glob.Match(rel, true)
		}
	})
}
