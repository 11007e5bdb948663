package guard

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/writ-dev/writ"
)

// TestFolderSwappedForALink writes while another goroutine turns the folder
// into a link out of the workspace, or into one to git's folder, and back. The
// workspace's clean-up checks the canary; nothing may land behind the link.
func TestFolderSwappedForALink(t *testing.T) {
	t.Parallel()
	rounds := 5000
	if testing.Short() {
		rounds = 500
	}
	for name, target := range map[string]string{"path-15/link out": "../canary", "path-15/link to git's folder": ".git/hooks", "path-15/link to a neighbour": "neighbour"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, ws := workspace(t, map[string]string{"d/x": "", ".git/hooks/x": "", "neighbour/x": ""})
			stop := make(chan struct{})
			var wg sync.WaitGroup
			wg.Go(func() { flip(ws, target, stop) })
			landed := 0
			for range rounds {
				err := r.Replace(t.Context(), "d/f.txt", []byte("ours\n"), 0, "")
				if err == nil {
					landed++
					err = r.Remove(t.Context(), "d/f.txt", Hash([]byte("ours\n")))
				}
				var known *writ.Error
				if err != nil && !errors.As(err, &known) {
					t.Fatalf("a failure without a code: %v", err)
				}
			}
			close(stop)
			wg.Wait()
			for _, dir := range []string{".git/hooks", "neighbour"} {
				entries, err := os.ReadDir(filepath.Join(ws, dir))
				if err != nil || len(entries) != 1 {
					t.Errorf("%s: %v %v", dir, entries, err)
				}
			}
			if landed == 0 {
				t.Error("no write landed at all, so nothing was tried")
			}
		})
	}
}

func flip(ws, target string, stop chan struct{}) {
	dir, real := filepath.Join(ws, "d"), filepath.Join(ws, "d.real")
	for {
		select {
		case <-stop:
			return
		default:
		}
		os.Rename(dir, real)
		os.Symlink(target, dir)
		os.Remove(dir)
		os.Rename(real, dir)
	}
}

// TestFileSwappedForALink reads while the file turns into a link out.
func TestFileSwappedForALink(t *testing.T) {
	t.Parallel()
	r, ws := workspace(t, map[string]string{"f.txt": "inside\n"})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		file, next := filepath.Join(ws, "f.txt"), filepath.Join(ws, "next")
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.Symlink("../canary/secret.txt", next)
			os.Rename(next, file)
			os.WriteFile(next, []byte("inside\n"), 0o644)
			os.Rename(next, file)
		}
	})
	for range 3000 {
		got, err := r.Read(t.Context(), "f.txt", 0)
		if err == nil && string(got.Content) != "inside\n" {
			t.Fatalf("path-15: read %q", got.Content)
		}
	}
	close(stop)
	wg.Wait()
}

// TestWorkspaceReplaced renames the workspace away and puts a link, then a
// folder, in its place.
func TestWorkspaceReplaced(t *testing.T) {
	t.Parallel()
	for name, substitute := range map[string]func(ws string) error{
		"path-23/a link in its place": func(ws string) error { return os.Symlink("canary", ws) },
		"path-23/a folder in its place": func(ws string) error {
			if err := os.MkdirAll(filepath.Join(ws, "tide"), 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(ws, "tide/tide.rs"), []byte("h + 1\n"), 0o644)
		},
		"path-23/nothing in its place": func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, ws := workspace(t, map[string]string{"tide/tide.rs": "h + 1\n"})
			moved := ws + "-moved"
			if err := os.Rename(ws, moved); err != nil {
				t.Fatal(err)
			}
			if err := substitute(ws); err != nil {
				t.Fatal(err)
			}
			if err := r.Replace(t.Context(), "tide/tide.rs", []byte("h + 2\n"), 0, Hash([]byte("h + 1\n"))); err != nil {
				t.Errorf("the opened folder cannot be written: %v", err)
			}
			if err := r.Replace(t.Context(), "tide/new.rs", []byte("new\n"), 0, ""); err != nil {
				t.Errorf("the opened folder takes no file: %v", err)
			}
			if got := slurp(t, filepath.Join(moved, "tide/tide.rs")); got != "h + 2\n" {
				t.Errorf("the opened folder has %q", got)
			}
			if got, err := os.ReadFile(filepath.Join(ws, "tide/tide.rs")); err == nil && string(got) != "h + 1\n" {
				t.Errorf("the substitute was written: %q", got)
			}
			if _, err := os.Lstat(filepath.Join(ws, "tide/new.rs")); err == nil {
				t.Error("the substitute got a file")
			}
			if r.Intact() {
				t.Error("a moved workspace is called intact")
			}
		})
	}
}

// TestTwoWritersOfOneFile lets many compare-and-swaps of one base race: exactly
// one may win.
func TestTwoWritersOfOneFile(t *testing.T) {
	t.Parallel()
	for range 20 {
		r, ws := workspace(t, map[string]string{"a.txt": "old\n"})
		var mu sync.Mutex
		var won []string
		var wg sync.WaitGroup
		for i := range 8 {
			text := string(rune('a'+i)) + "\n"
			wg.Go(func() {
				err := r.Replace(t.Context(), "a.txt", []byte(text), 0, Hash([]byte("old\n")))
				if err != nil {
					wantCode(t, text, err, writ.CodeStaleFile)
					return
				}
				mu.Lock()
				won = append(won, text)
				mu.Unlock()
			})
		}
		wg.Wait()
		if len(won) != 1 || slurp(t, filepath.Join(ws, "a.txt")) != won[0] {
			t.Fatalf("won: %q, the file is %q", won, slurp(t, filepath.Join(ws, "a.txt")))
		}
		noTemps(t, ws)
	}
}
