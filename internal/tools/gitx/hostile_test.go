package gitx

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRepositoryRunsNothing plants a program at every place that git's
// configuration and hooks know, lists and delivers, and looks for its mark.
func TestRepositoryRunsNothing(t *testing.T) {
	t.Parallel()
	needGit(t)
	if runtime.GOOS == "windows" {
		t.Skip("the planted programs are shell scripts")
	}
	for _, tc := range []struct{ name, config, attributes string }{
		{"autoexec-27/file monitor", "[core]\n\tfsmonitor = %s\n\tuntrackedCache = true\n", ""},
		{"autoexec-27/hooks path", "[core]\n\thooksPath = %s-hooks\n", ""},
		{"autoexec-27/filters", "[filter \"evil\"]\n\tclean = %s\n\tsmudge = %s\n\tprocess = %s\n\trequired = true\n", "* filter=evil\n"},
		{"autoexec-27/diff drivers", "[diff]\n\texternal = %s\n[diff \"evil\"]\n\ttextconv = %s\n\tcommand = %s\n", "* diff=evil\n"},
		{"autoexec-27/merge drivers", "[merge \"evil\"]\n\tdriver = %s\n", "* merge=evil\n"},
		{"autoexec-27/pager and editors", "[core]\n\tpager = %s\n\teditor = %s\n\taskPass = %s\n\tsshCommand = %s\n[sequence]\n\teditor = %s\n[pager]\n\tls-files = %s\n", ""},
		{"autoexec-27/signing", "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = %s\n[user]\n\tsigningKey = x\n", ""},
		{"autoexec-27/aliases", "[alias]\n\tls-files = !%s\n\tread-tree = !%s\n\tupdate-index = !%s\n\tconfig = !%s\n\tvar = !%s\n", ""},
		{"autoexec-27/credentials and transport", "[credential]\n\thelper = !%s\n[protocol]\n\tallow = always\n[remote \"origin\"]\n\turl = ext::%s\n\tpromisor = true\n\tpartialclonefilter = blob:none\n[extensions]\n\tpartialClone = origin\n[core]\n\trepositoryformatversion = 1\n", ""},
		{"autoexec-27/included file", "[include]\n\tpath = ../included\n", ""},
		{"autoexec-27/another work tree", "[core]\n\tworktree = /\n\tfsmonitor = %s\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := project(t, true, map[string]string{"tempo.py": "BPM = 90\n", ".gitattributes": tc.attributes})
			outside := t.TempDir()
			mark, evil := filepath.Join(outside, "ran"), filepath.Join(outside, "evil")
			plant(t, evil, mark)
			for _, hooks := range []string{filepath.Join(dir, ".git/hooks"), evil + "-hooks"} {
				for _, hook := range []string{"pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc", "post-rewrite", "update", "post-update"} {
					plant(t, filepath.Join(hooks, hook), mark)
				}
			}
			config := strings.ReplaceAll(tc.config, "%s", evil)
			put(t, dir, "included", "[core]\n\tfsmonitor = "+evil+"\n")
			appendTo(t, filepath.Join(dir, ".git/config"), config)
			put(t, dir, "tempo.py", "BPM = 100\n")
			put(t, dir, "new.py", "")

			r := open(t, dir)
			files, err := r.Files(t.Context())
			if err != nil || !strings.Contains(strings.Join(files, " "), "tempo.py") {
				t.Errorf("Files = %q, %v", files, err)
			}
			name, commit, err := r.DeliverBranch(t.Context(), "writ/x", "m", []BranchFile{{Path: "tempo.py", Content: []byte("BPM = 120\r\n")}})
			if strings.Contains(tc.name, "another work tree") == r.Present() {
				t.Errorf("Present() = %v", r.Present())
			}
			if err != nil && r.Present() {
				t.Errorf("DeliverBranch = %q, %q, %v", name, commit, err)
			}
			if _, err := r.DeliverPatch(t.Context(), "m", []PatchFile{{Path: "tempo.py", Before: &Side{Content: []byte("BPM = 90\n")}, After: &Side{Content: []byte("BPM = 120\n")}}}); err != nil {
				t.Error(err)
			}
			if _, err := r.HeadInfo(t.Context()); err != nil && r.Present() {
				t.Error(err)
			}
			if b, err := os.ReadFile(mark); err == nil {
				t.Errorf("a planted program ran: %s", b)
			}
		})
	}
}

// TestThePlantedProgramsWork proves that the attack above would be seen: an
// ordinary git runs them.
func TestThePlantedProgramsWork(t *testing.T) {
	t.Parallel()
	needGit(t)
	if runtime.GOOS == "windows" {
		t.Skip("the planted programs are shell scripts")
	}
	dir := project(t, true, map[string]string{"a": "1"})
	mark := filepath.Join(t.TempDir(), "ran")
	plant(t, filepath.Join(dir, ".git/hooks/reference-transaction"), mark)
	git(t, dir, "branch", "x")
	if _, err := os.Stat(mark); err != nil {
		t.Error("the planted hook does not run")
	}
}

func plant(t *testing.T, path, mark string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\necho \"$0 $*\" >> %s\ncat > /dev/null < /dev/null\n", mark)
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(b, text...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestGitOfTheWorkspaceIsNotRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the planted program is a shell script")
	}
	dir := project(t, false, map[string]string{"a": "1"})
	mark := filepath.Join(t.TempDir(), "ran")
	plant(t, filepath.Join(dir, "node_modules/.bin/git"), mark)
	outside := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "node_modules/.bin/git"), filepath.Join(outside, "git")); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(dir, "node_modules/.bin") + ":" + outside + ":.:node_modules/.bin"
	r, err := Open(t.Context(), dir, WithEnv([]string{"PATH=" + path}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Files(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err == nil || r.git != nil {
		t.Error("autoexec-27: the workspace's own git was run")
	}
}

func TestEnvironmentIsScrubbed(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := project(t, true, map[string]string{"a": "1"})
	other := project(t, true, map[string]string{"other": "1"})
	r := open(t, dir, "GIT_DIR="+filepath.Join(other, ".git"), "GIT_WORK_TREE="+other, "GIT_INDEX_FILE=/nowhere", "GIT_EXTERNAL_DIFF=evil",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=evil", "GIT_SSH_COMMAND=evil", "GIT_EXEC_PATH=/nowhere", "OPENAI_API_KEY=secret", "LD_PRELOAD=/nowhere.so")
	got, err := r.Files(t.Context())
	if diff := cmp.Diff([]string{"a"}, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	for _, user := range []bool{false, true} {
		for _, kv := range r.git.environ(call{user: user}) {
			for _, bad := range []string{"GIT_DIR=", "GIT_WORK_TREE=", "GIT_INDEX_FILE=", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_COUNT", "GIT_SSH", "GIT_EXEC_PATH", "OPENAI", "LD_PRELOAD"} {
				if strings.HasPrefix(kv, bad) {
					t.Errorf("passed on: %s", kv)
				}
			}
		}
	}
}

func TestNamesLikeOptions(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := project(t, true, map[string]string{"--output=zap.py": "LEVEL = 1\n", "-n.py": "Y = 1\n"})
	r := open(t, dir)
	got, err := r.Files(t.Context())
	if diff := cmp.Diff([]string{"--output=zap.py", "-n.py"}, got); err != nil || diff != "" {
		t.Errorf("autoexec-29: %v %s", err, diff)
	}
	_, commit, err := r.DeliverBranch(t.Context(), "writ/x", "--upload-pack=touch ran", []BranchFile{
		{Path: "--output=zap.py", Content: []byte("LEVEL = 2\r\n")}, {Path: "--exec=touch ran", Content: []byte("\r\n")}, {Path: "-n.py", Delete: true}})
	if err != nil {
		t.Fatal(err)
	}
	want := "--upload-pack=touch ran\nA\t--exec=touch ran\nM\t--output=zap.py\nD\t-n.py\n"
	if got := git(t, dir, "show", "--no-renames", "--format=%s", "--name-status", commit); strings.ReplaceAll(got, "\n\n", "\n") != want {
		t.Errorf("autoexec-29: %q", got)
	}
	for _, gone := range []string{"zap.py", "ran"} {
		if _, err := os.Stat(filepath.Join(dir, gone)); err == nil {
			t.Errorf("autoexec-29: %s was written", gone)
		}
	}
}

func TestPipesDoNotHoldTheListing(t *testing.T) {
	t.Parallel()
	mkfifo, err := exec.LookPath("mkfifo")
	if err != nil {
		t.Skip("no mkfifo here")
	}
	for name, pipes := range map[string][]string{"path-17/data": {"data.json"}, "path-17/ignore file": {".gitignore", ".writignore"}} {
		dir := project(t, false, map[string]string{"a.py": ""})
		repo := project(t, true, map[string]string{"a.py": ""})
		for _, pipe := range pipes {
			for _, d := range []string{dir, repo} {
				if out, err := exec.Command(mkfifo, filepath.Join(d, pipe)).CombinedOutput(); err != nil {
					t.Skipf("mkfifo: %s", out)
				}
			}
		}
		for _, r := range []*Repo{open(t, dir), open(t, repo), withoutGit(t, dir)} {
			got, err := r.Files(t.Context())
			if diff := cmp.Diff([]string{"a.py"}, got); err != nil || diff != "" {
				t.Errorf("%s: %v %s", name, err, diff)
			}
		}
	}
}

func TestLinksInCirclesEnd(t *testing.T) {
	t.Parallel()
	tree := map[string]string{"a/up": "-> ..", "a/self": "-> .", "b": "-> a", "f": ""}
	want := []string{"a/self", "a/up", "b", "f"}
	for _, r := range []*Repo{open(t, project(t, false, tree)), withoutGit(t, project(t, false, tree))} {
		got, err := r.Files(t.Context())
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
}

func TestRepositoriesOfOtherUsers(t *testing.T) {
	t.Parallel()
	needGit(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	outer := project(t, true, map[string]string{"sub/a.py": "", "b.py": ""})
	err := filepath.WalkDir(outer, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, 65534, 65534)
	})
	if err != nil {
		t.Skip(err)
	}
	conf := t.TempDir()
	put(t, conf, "git/config", "[safe]\n\tdirectory = "+outer+"\n")
	for _, tc := range []struct {
		name string
		r    *Repo
		want bool
	}{
		{"the workspace itself", open(t, outer), true},
		{"a folder above the workspace", open(t, filepath.Join(outer, "sub")), false},
		{"a folder above that the user trusts", open(t, filepath.Join(outer, "sub"), "XDG_CONFIG_HOME="+conf), true},
	} {
		if tc.r.Present() != tc.want {
			t.Errorf("%s: Present() = %v", tc.name, tc.r.Present())
		}
		if got, err := tc.r.Files(t.Context()); err != nil || len(got) == 0 {
			t.Errorf("%s: %v, %v", tc.name, got, err)
		}
	}
}
