package guard

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/writ-dev/writ"
)

// workspace makes a folder with a canary beside it and opens it.
func workspace(t testing.TB, files map[string]string, opts ...Option) (*Root, string) {
	t.Helper()
	base := t.TempDir()
	ws := filepath.Join(base, "ws")
	put(t, ws, "", "")
	put(t, base, "canary/secret.txt", "canary: must stay as it is\n")
	for name, text := range files {
		put(t, ws, name, text)
	}
	p, err := NewPolicy(PolicyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenRoot(ws, p, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		entries, err := os.ReadDir(filepath.Join(base, "canary"))
		if err != nil || len(entries) != 1 || slurp(t, filepath.Join(base, "canary/secret.txt")) != "canary: must stay as it is\n" {
			t.Errorf("the canary folder was touched: %v %v", entries, err)
		}
	})
	return r, ws
}

// put writes a file below dir; a text that begins with "-> " makes a link.
func put(t testing.TB, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if name == "" {
		if err := os.MkdirAll(full, 0o755); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if len(text) > 3 && text[:3] == "-> " {
		if err := os.Symlink(text[3:], full); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
		return
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func slurp(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		return "<" + err.Error() + ">"
	}
	return string(b)
}

func wantCode(t testing.TB, what string, err error, want ...writ.Code) {
	t.Helper()
	got := writ.CodeOf(err)
	for _, w := range want {
		if got == w {
			return
		}
	}
	t.Errorf("%s: code %q (%v), want %q", what, got, err, want)
}

// noTemps fails if a temporary file is left anywhere.
func noTemps(t testing.TB, dir string) {
	t.Helper()
	filepath.WalkDir(dir, func(p string, _ os.DirEntry, _ error) error {
		if IsTemp(filepath.ToSlash(p)) {
			t.Errorf("left behind: %s", p)
		}
		return nil
	})
}
