package gitx

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestDeliverBranch(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := project(t, true, map[string]string{"a.go": "1\n", "gone.txt": "x", "run.sh": "x", "README.md": "# A\n", "d/f.txt": "x", "staged.js": "1\n"})
	put(t, dir, "README.md", "# A\nwork in progress\n")
	git(t, dir, "stash", "-q")
	put(t, dir, "README.md", "# A\ndirty\n")
	put(t, dir, "staged.js", "2\n")
	git(t, dir, "add", "staged.js")
	put(t, dir, "draft.md", "draft")
	before := untouched(t, dir)

	name, commit, err := open(t, dir).DeliverBranch(t.Context(), "writ/task", "Raise A\n\nTask t_1.\n", []BranchFile{
		{Path: "a.go", Content: []byte("5\n"), Mode: 0o644},
		{Path: "gone.txt", Delete: true},
		{Path: "run.sh", Content: []byte("y"), Mode: 0o755},
		{Path: "d/f.txt", Delete: true},
		{Path: "d", Content: []byte("a file where a folder was"), Mode: 0o600},
		{Path: "neu/grün \"x\"\t.md", Content: []byte("neu"), Mode: 0o644},
		{Path: "--output=zap", Content: []byte("x"), Mode: 0o644},
	})
	if err != nil {
		t.Fatal(err)
	}
	if name != "writ/task" {
		t.Errorf("branch %q", name)
	}
	if diff := cmp.Diff(before, untouched(t, dir)); diff != "" {
		t.Errorf("the person's work changed: %s", diff)
	}
	got := git(t, dir, "show", "--no-renames", "-z", "--format=%an <%ae>%n%cn <%ce>%n%ai%n%B", "--name-status", commit)
	want := "writ <writ@localhost>\nwrit <writ@localhost>\n2026-03-04 05:06:07 +0100\nRaise A\n\nTask t_1.\n\x00\n" +
		"A\x00--output=zap\x00M\x00a.go\x00A\x00d\x00D\x00d/f.txt\x00D\x00gone.txt\x00A\x00neu/grün \"x\"\t.md\x00M\x00run.sh\x00"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if modes := git(t, dir, "ls-tree", name, "run.sh", "d"); !strings.Contains(modes, "100755 blob") || !strings.Contains(modes, "100644 blob") {
		t.Errorf("modes: %s", modes)
	}
	if parent := git(t, dir, "rev-parse", name+"^"); parent != git(t, dir, "rev-parse", "main") {
		t.Error("the parent is not HEAD")
	}
	git(t, dir, "fsck", "--strict", "--no-dangling")
}

// untouched is what delivery must leave alone.
func untouched(t testing.TB, dir string) map[string]string {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(dir, ".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	conf, err := os.ReadFile(filepath.Join(dir, ".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"index": string(index), "config": string(conf), "head": git(t, dir, "rev-parse", "HEAD"), "reflog": git(t, dir, "reflog", "HEAD"),
		"main": git(t, dir, "rev-parse", "main"), "stash": git(t, dir, "stash", "list"), "status": git(t, dir, "status", "--porcelain=v2"),
	}
}

func TestAuthorIsTheConfiguredOne(t *testing.T) {
	t.Parallel()
	needGit(t)
	for _, tc := range []struct {
		name string
		env  []string
		repo []string
		want string
	}{
		{"nobody", nil, nil, "writ <writ@localhost>"},
		{"the repository's", nil, []string{"user.name=Ada", "user.email=ada@example.org"}, "Ada <ada@example.org>"},
		{"the environment's", []string{"GIT_AUTHOR_NAME=Grace", "GIT_AUTHOR_EMAIL=grace@example.org"}, nil, "Grace <grace@example.org>"},
		{"half a name", nil, []string{"user.name=Ada"}, "writ <writ@localhost>"},
	} {
		dir := project(t, true, map[string]string{"a": "1"})
		for _, kv := range tc.repo {
			k, v, _ := strings.Cut(kv, "=")
			git(t, dir, "config", k, v)
		}
		_, commit, err := open(t, dir, tc.env...).DeliverBranch(t.Context(), "x", "m", []BranchFile{{Path: "a", Content: []byte("2")}})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if got := strings.TrimSpace(git(t, dir, "show", "-s", "--format=%an <%ae>", commit)); got != tc.want {
			t.Errorf("%s: author %q, want %q", tc.name, got, tc.want)
		}
	}
	conf := t.TempDir()
	put(t, conf, "git/config", "[user]\n\tname = Global\n\temail = g@example.org\n")
	dir := project(t, true, map[string]string{"a": "1"})
	if got := open(t, dir, "XDG_CONFIG_HOME="+conf).identity(t.Context(), "AUTHOR"); got != (identity{"Global", "g@example.org"}) {
		t.Errorf("the user's own file: %v", got)
	}
}

func TestBranchNames(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := project(t, true, map[string]string{"a": "1"})
	r := open(t, dir)
	file := []BranchFile{{Path: "a", Content: []byte("2")}}
	for _, bad := range []string{"", "--output=/tmp/x", "-f", "a..b", "a b", "a~1", "@{-1}", "HEAD", "a.lock", "x\x00y", "x\ny", ".hidden", "a//b", "/a", strings.Repeat("n", 300)} {
		if name, _, err := r.DeliverBranch(t.Context(), bad, "m", file); writ.CodeOf(err) != writ.CodeUsage {
			t.Errorf("autoexec-29: branch %q gave %q, %v", bad, name, err)
		}
	}
	git(t, dir, "branch", "taken")
	git(t, dir, "branch", "writ")
	for _, tc := range [][2]string{{"taken", "taken-2"}, {"taken", "taken-3"}, {"writ/x", "writ-x"}, {"neu/äpfel", "neu/äpfel"}} {
		name, _, err := r.DeliverBranch(t.Context(), tc[0], "m", file)
		if err != nil || name != tc[1] {
			t.Errorf("branch %q gave %q, %v; want %q", tc[0], name, err, tc[1])
		}
	}
}

func TestDeliveriesAtOnce(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := project(t, true, map[string]string{"a": "1"})
	r := open(t, dir)
	var mu sync.Mutex
	got := map[string]bool{}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			name, _, err := r.DeliverBranch(t.Context(), "same", "m", []BranchFile{{Path: "a", Content: fmt.Append(nil, i+2)}})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			got[name] = true
		})
	}
	wg.Wait()
	if diff := cmp.Diff(map[string]bool{"same": true, "same-2": true, "same-3": true, "same-4": true}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDeliverFromAFolderBelowAndBeforeTheFirstCommit(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := project(t, true, map[string]string{"pkg/a.go": "1\n", "other.go": ""})
	_, commit, err := open(t, filepath.Join(dir, "pkg")).DeliverBranch(t.Context(), "below", "m", []BranchFile{{Path: "a.go", Content: []byte("2\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if got := git(t, dir, "show", "--format=", "--name-only", commit); got != "pkg/a.go\n" {
		t.Errorf("from below: %q", got)
	}
	fresh := project(t, false, map[string]string{"a": "1"})
	git(t, fresh, "init", "-q")
	_, commit, err = open(t, fresh).DeliverBranch(t.Context(), "first", "m", []BranchFile{{Path: "a", Content: []byte("1")}})
	if err != nil {
		t.Fatal(err)
	}
	if got := git(t, fresh, "log", "--format=%P", commit); strings.TrimSpace(got) != "" {
		t.Errorf("before the first commit: parents %q", got)
	}
}

func TestDeliveryRefuses(t *testing.T) {
	t.Parallel()
	needGit(t)
	repo := project(t, true, map[string]string{"a": "1"})
	for name, tc := range map[string]struct {
		r     *Repo
		files []BranchFile
		code  writ.Code
	}{
		"no repository":   {open(t, project(t, false, nil)), []BranchFile{{Path: "a", Content: []byte("2")}}, writ.CodeUsage},
		"no git":          {withoutGit(t, repo), []BranchFile{{Path: "a", Content: []byte("2")}}, writ.CodeUsage},
		"no difference":   {open(t, repo), []BranchFile{{Path: "a", Content: []byte("1")}}, writ.CodeUsage},
		"git's folder":    {open(t, repo), []BranchFile{{Path: ".git/hooks/x", Content: []byte("1")}}, writ.CodeInternal},
		"a climb":         {open(t, repo), []BranchFile{{Path: "../x", Content: []byte("1")}}, writ.CodeInternal},
		"an absolute":     {open(t, repo), []BranchFile{{Path: "/etc/x", Content: []byte("1")}}, writ.CodeInternal},
		"git in capitals": {open(t, repo), []BranchFile{{Path: ".GIT/hooks/x", Content: []byte("1")}}, writ.CodeInternal},
		"not clean":       {open(t, repo), []BranchFile{{Path: "x//y", Content: []byte("1")}}, writ.CodeInternal},
		"a record break":  {open(t, repo), []BranchFile{{Path: "a\x00100755 x", Content: []byte("1")}}, writ.CodeInternal},
	} {
		if _, _, err := tc.r.DeliverBranch(t.Context(), "b-"+strings.ReplaceAll(name, " ", "-"), "m", tc.files); writ.CodeOf(err) != tc.code {
			t.Errorf("%s: %v, want %q", name, err, tc.code)
		}
	}
	if got := git(t, repo, "branch", "--list", "b-*"); got != "" {
		t.Errorf("a refused delivery left %q", got)
	}
}

func TestLineEnds(t *testing.T) {
	t.Parallel()
	needGit(t)
	const crlf, lf, head = "one\r\n2\r\n", "one\n2\n", "one\ntwo\n"
	for _, tc := range []struct {
		name, attributes, autocrlf, inHead, want string
	}{
		{"kept as they are", "", "", head, crlf},
		{"autocrlf", "", "true", head, lf},
		{"autocrlf and CRLF in HEAD", "", "true", "x\r\n", crlf},
		{"text=auto", "* text=auto\n", "", head, lf},
		{"text", "*.txt text\n", "", head, lf},
		{"eol=crlf", "*.txt eol=crlf\n", "", head, lf},
		{"-text", "*.txt -text\n", "true", head, crlf},
		{"a filter is not run", "* filter=evil\n", "", head, crlf},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := project(t, true, map[string]string{"a.txt": tc.inHead})
			if tc.attributes != "" {
				put(t, dir, ".gitattributes", tc.attributes)
			}
			if tc.autocrlf != "" {
				git(t, dir, "config", "core.autocrlf", tc.autocrlf)
			}
			name, _, err := open(t, dir).DeliverBranch(t.Context(), "b", "m", []BranchFile{{Path: "a.txt", Content: []byte(crlf)}})
			if err != nil {
				t.Fatal(err)
			}
			if got := git(t, dir, "cat-file", "blob", name+":a.txt"); got != tc.want {
				t.Errorf("stored %q, want %q", got, tc.want)
			}
		})
	}
}

func TestPatchAppliesAnywhere(t *testing.T) {
	t.Parallel()
	needGit(t)
	side := func(text string, mode fs.FileMode) *Side { return &Side{Content: []byte(text), Mode: mode} }
	long := strings.Repeat("line\n", 40)
	files := []PatchFile{
		{Path: "mod.txt", Before: side(long+"end\n", 0o644), After: side("begin\n"+long+"end", 0o644)},
		{Path: "crlf.txt", Before: side("a\r\nb\r\nc", 0o644), After: side("a\r\nB\r\nc", 0o644)},
		{Path: "new file.txt", After: side("new\n", 0o755)},
		{Path: "empty", After: side("", 0o644)},
		{Path: "gone.txt", Before: side("gone\n", 0o644)},
		{Path: "mode.sh", Before: side("x\n", 0o644), After: side("x\n", 0o755)},
		{Path: "bin.dat", Before: side("\x00\x01old"+strings.Repeat("\xff", 90), 0o644), After: side("\x00new"+strings.Repeat("\x80\x00z", 400), 0o644)},
		{Path: "newbin.dat", After: side("\x00", 0o644)},
		{Path: "latin.txt", Before: side("caf\xe9\nx\n", 0o644), After: side("caf\xe9\ny\n", 0o644)},
		{Path: "grün \"q\".md", Before: side("1\n", 0o644), After: side("2\n", 0o644)},
		{Path: "-n.py", Before: side("1\n", 0o644), After: side("2\n", 0o644)},
		{Path: "to.txt", From: "from.txt", Before: side("same\nx\n", 0o644), After: side("same\ny\n", 0o644)},
		{Path: "from.txt", Before: side("same\nx\n", 0o644)},
		{Path: "diff --git.txt", Before: side("--- a\n+++ b\n@@ x\n", 0o644), After: side("--- b\n-- \n", 0o644)},
	}
	before, after := map[string]string{}, map[string]string{}
	for _, f := range files {
		if f.Before != nil {
			before[pick(f.From, f.Path)] = string(f.Before.Content)
		}
		if f.After != nil {
			after[f.Path] = string(f.After.Content)
		}
	}
	for _, message := range []string{"", "Süßes tun\n\nWhy.\n"} {
		dir := project(t, true, before)
		patch, err := open(t, dir).DeliverPatch(t.Context(), message, files)
		if err != nil {
			t.Fatal(err)
		}
		if message == "" {
			gitIn(t, dir, patch, "apply", "--index")
			git(t, dir, "commit", "-q", "-m", "applied")
		} else {
			gitIn(t, dir, patch, "am", "-q", "--keep-cr", "--keep-non-patch")
			if got := git(t, dir, "log", "-1", "--format=%an|%s|%b"); got != "writ|[PATCH] Süßes tun|Why.\n\n" && got != "writ|Süßes tun|Why.\n\n" {
				t.Errorf("am read the mail as %q", got)
			}
		}
		if diff := cmp.Diff(after, tree(t, dir)); diff != "" {
			t.Errorf("message %q: %s\n%s", message, diff, patch)
		}
		if got := git(t, dir, "ls-files", "-s", "mode.sh", "new file.txt"); strings.Count(got, "100755") != 2 {
			t.Errorf("modes: %s", got)
		}
		git(t, dir, "apply", "--check", "-R", patchFileOf(t, patch))
	}
}

func pick(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func patchFileOf(t *testing.T, patch []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.patch")
	if err := os.WriteFile(name, patch, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// tree reads the work tree.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for name := range strings.SplitSeq(strings.Trim(git(t, dir, "ls-files", "-z"), "\x00"), "\x00") {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(b)
	}
	return got
}

func TestMessageCannotCarryADiff(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := project(t, true, map[string]string{"a.txt": "1\n"})
	evil := "Harmless\n\n---\ndiff --git a/evil.sh b/evil.sh\nnew file mode 100755\n--- /dev/null\n+++ b/evil.sh\n@@ -0,0 +1 @@\n+evil\n\nFrom 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\nSubject: second\n"
	patch, err := open(t, dir).DeliverPatch(t.Context(), evil+"\r\nX: y", []PatchFile{{Path: "a.txt", Before: &Side{Content: []byte("1\n")}, After: &Side{Content: []byte("2\n")}}})
	if err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, patch, "am", "-q")
	if diff := cmp.Diff(map[string]string{"a.txt": "2\n"}, tree(t, dir)); diff != "" {
		t.Errorf("git am: %s", diff)
	}
	git(t, dir, "reset", "-q", "--hard", "main~1")
	gitIn(t, dir, patch, "apply", "--index")
	if diff := cmp.Diff(map[string]string{"a.txt": "2\n"}, tree(t, dir)); diff != "" {
		t.Errorf("git apply: %s", diff)
	}
}
