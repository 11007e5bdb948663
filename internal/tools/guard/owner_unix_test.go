//go:build unix

package guard

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/writ-dev/writ"
)

func TestOwnerIsKept(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	r, ws := workspace(t, map[string]string{"a.txt": "old\n"})
	file := filepath.Join(ws, "a.txt")
	if err := os.Chown(file, 65534, 65533); err != nil {
		t.Skip(err)
	}
	if err := r.Replace(t.Context(), "a.txt", []byte("new\n"), 0, Hash([]byte("old\n"))); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Uid != 65534 || st.Gid != 65533 {
		t.Errorf("owner %+v", info.Sys())
	}
}

// fullEnv makes the test binary a child that may write only few bytes.
const fullEnv = "GUARD_TEST_FULL"

// TestWriteThatIsCutShort lets the system cut a write in the middle, as a full
// disk does: the old content must be whole and nothing left behind.
func TestWriteThatIsCutShort(t *testing.T) {
	if dir := os.Getenv(fullEnv); dir != "" {
		cutShort(t, dir)
		return
	}
	t.Parallel()
	_, ws := workspace(t, map[string]string{"a.txt": "old\n"})
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestWriteThatIsCutShort$")
	cmd.Env = append(os.Environ(), fullEnv+"="+ws)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	noTemps(t, ws)
	if got := slurp(t, filepath.Join(ws, "a.txt")); got != "old\n" {
		t.Errorf("the file is %q", got)
	}
	if _, err := os.Lstat(filepath.Join(ws, "new")); err == nil {
		t.Error("a folder was left behind")
	}
}

func cutShort(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
		t.Skip(err)
	}
	p, err := NewPolicy(PolicyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenRoot(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content := []byte(strings.Repeat("x", 1<<20))
	wantCode(t, "replace", r.Replace(t.Context(), "a.txt", content, 0, Hash([]byte("old\n"))), writ.CodeInternal)
	wantCode(t, "create", r.Replace(t.Context(), "new/b.txt", content, 0, ""), writ.CodeInternal)
}

// TestCreationWithoutExchange takes the way of systems that cannot rename
// without replacing.
func TestCreationWithoutExchange(t *testing.T) {
	t.Parallel()
	r, ws := workspace(t, map[string]string{"taken.txt": "theirs\n"})
	for name, want := range map[string]string{"free.txt": "ours\n", "taken.txt": "theirs\n"} {
		d, base, err := r.enter(name, false)
		if err != nil {
			t.Fatal(err)
		}
		w := &writing{folder: d, name: base, path: name, temp: newTemp(tempWriting, "", Hash(nil), base)}
		put(t, ws, w.temp.String(), "ours\n")
		err = w.linkNew()
		if (err == nil) != (want == "ours\n") {
			t.Errorf("%s: %v", name, err)
		}
		if err := w.discard(); err != nil {
			t.Error(err)
		}
		d.Close()
		if got := slurp(t, filepath.Join(ws, name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	noTemps(t, ws)
}
