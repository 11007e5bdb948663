package gitx

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// home is an environment of its own: no configuration of the machine's user.
func home(t testing.TB, more ...string) []string {
	t.Helper()
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + os.TempDir()}, more...)
}

func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
}

// git runs the real git as a person would.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return gitIn(t, dir, nil, args...)
}

func gitIn(t testing.TB, dir string, stdin []byte, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "init.defaultBranch=main", "-c", "core.autocrlf=false", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// project makes a folder with files; with a repository it has one commit.
func project(t testing.TB, repo bool, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ws")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, dir, name, text)
	}
	if repo {
		git(t, dir, "init", "-q")
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	}
	return dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if target, ok := strings.CutPrefix(text, "-> "); ok {
		if err := os.Symlink(target, full); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
		return
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// clock is the fixed time of tests.
func clock() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", 3600)) }

func open(t testing.TB, dir string, env ...string) *Repo {
	t.Helper()
	r, err := Open(context.Background(), dir, WithEnv(home(t, env...)), WithNow(clock))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// withoutGit is a Repo on a machine that has none.
func withoutGit(t testing.TB, dir string) *Repo {
	t.Helper()
	r, err := Open(context.Background(), dir, WithEnv([]string{"PATH=" + t.TempDir()}))
	if err != nil {
		t.Fatal(err)
	}
	if r.git != nil {
		t.Fatal("git was found")
	}
	return r
}
