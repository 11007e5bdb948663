package guard

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/writ-dev/writ"
)

func TestRemoveDir(t *testing.T) {
	t.Parallel()
	policy, err := NewPolicy(PolicyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir, outside := t.TempDir(), t.TempDir()
	for _, d := range []string{"empty", "full", "up/empty"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "full", "f"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(outside, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	root, err := OpenRoot(dir, policy)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, tc := range []struct {
		name, rel string
		fails     bool
		stays     string // what must stand afterwards
		gone      string
	}{
		{"empty", "empty", false, dir, filepath.Join(dir, "empty")},
		{"absent", "none", false, dir, ""},
		{"holds something", "full", false, filepath.Join(dir, "full", "f"), ""},
		{"its parent stays though it is empty then", "up/empty", false, filepath.Join(dir, "up"), filepath.Join(dir, "up", "empty")},
		{"a file", "full/f", false, filepath.Join(dir, "full", "f"), ""},
		{"a link", "link", false, filepath.Join(dir, "link"), ""},
		{"through a link", "link/empty", true, filepath.Join(outside, "empty"), ""},
		{"outside", "../" + filepath.Base(outside) + "/empty", true, filepath.Join(outside, "empty"), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := root.RemoveDir(tc.rel)
			if (writ.CodeOf(err) != "") != tc.fails {
				t.Errorf("error is %v", err)
			}
			if _, err := os.Lstat(tc.stays); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(tc.gone); tc.gone != "" && err == nil {
				t.Errorf("%s is still there", tc.gone)
			}
		})
	}
}
