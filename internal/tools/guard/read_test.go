package guard

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestReadGivesExactBytes(t *testing.T) {
	t.Parallel()
	text := "\ufeffone\r\ntwo\x00\xff"
	r, ws := workspace(t, map[string]string{"a.txt": text, "dir/b.txt": "b", "link.txt": "-> dir/b.txt", "dir/up": "-> ../a.txt", "chain": "-> link.txt"})
	if err := os.Symlink(filepath.Join(ws, "a.txt"), filepath.Join(ws, "absolute")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(ws, "a.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"a.txt": text, "link.txt": "b", "dir/up": text, "chain": "b", "absolute": text} {
		got, err := r.Read(t.Context(), name, 0)
		if err != nil {
			t.Errorf("Read(%q): %v", name, err)
			continue
		}
		mode := uint32(0o644)
		if content == text {
			mode = 0o755
		}
		want := writ.File{Path: name, Content: []byte(content), SHA256: Hash([]byte(content)), Mode: mode}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Read(%q): %s", name, diff)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	r, ws := workspace(t, map[string]string{
		"big.txt": strings.Repeat("x", 2000), "dir/b.txt": "b", "out": "-> ../canary", "file": "-> ../canary/secret.txt",
		"deep/down": "-> ../out", "proc": "-> /proc/self/cwd", "loop": "-> loop", "ping": "-> pong", "pong": "-> ping", "dead": "-> nothing", "repo": "-> .git", ".git/config": "token",
	})
	put(t, ws, "tricky", "-> "+filepath.Dir(ws)+"/ws/../canary/secret.txt")
	for name, want := range map[string]writ.Code{
		"path-13/out/secret.txt":       writ.CodePathOutside,
		"path-13/file":                 writ.CodePathOutside,
		"path-13/deep/down/secret.txt": writ.CodePathOutside,
		"path-13/tricky":               writ.CodePathOutside,
		"path-11/proc/big.txt":         writ.CodePathOutside,
		"path-11/loop":                 writ.CodePathInvalid,
		"path-11/ping":                 writ.CodePathInvalid,
		"path-13/dead":                 writ.CodeFileNotFound,
		"path-13/repo/config":          writ.CodeProtectedPath,
		"path-13/dir":                  writ.CodePathInvalid,
		"path-13/big.txt":              writ.CodeTooLarge,
		"path-13/none.txt":             writ.CodeFileNotFound,
		"path-13/big.txt/below":        writ.CodeFileNotFound,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, rel, _ := strings.Cut(name, "/")
			got, err := r.Read(t.Context(), rel, 1000)
			wantCode(t, rel, err, want)
			if len(got.Content) > 0 {
				t.Errorf("content came with the refusal: %q", got.Content)
			}
		})
	}
}

func TestNearNamesAreNamed(t *testing.T) {
	t.Parallel()
	r, _ := workspace(t, map[string]string{"Shot 3.04\u202fPM.md": "", "src/parser.go": "", "src/printer.go": "", "src/deep/x": ""})
	for name, want := range map[string]string{
		"Shot 3.04 PM.md": `did you mean "Shot 3.04\u202fPM.md"?`,
		"src/praser.go":   "did you mean src/parser.go?",
		"src/zebra.go":    "src/zebra.go does not exist",
	} {
		_, err := r.Read(t.Context(), name, 0)
		wantCode(t, name, err, writ.CodeFileNotFound)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("Read(%q) says %v, want %q at the end", name, err, want)
		}
	}
}

func TestSpecialFilesAreRefusedWithoutWaiting(t *testing.T) {
	t.Parallel()
	r, ws := workspace(t, map[string]string{"data/x": ""})
	makePipe(t, filepath.Join(ws, "data/feed.json"))
	if l, err := net.Listen("unix", filepath.Join(ws, "s.sock")); err == nil {
		defer l.Close()
	}
	put(t, ws, "tty", "-> /dev/tty")
	put(t, ws, "pipe.json", "-> data/feed.json")
	g := &Guard{Root: r, Locks: NewLockSet("data/feed.json", "s.sock")}
	for _, tc := range []struct {
		name string
		act  func(ctx context.Context) error
		want writ.Code
	}{
		{"path-17/read a pipe", func(ctx context.Context) error { _, err := r.Read(ctx, "data/feed.json", 0); return err }, writ.CodePathInvalid},
		{"path-17/read a pipe by a link", func(ctx context.Context) error { _, err := r.Read(ctx, "pipe.json", 0); return err }, writ.CodePathInvalid},
		{"path-17/read a socket", func(ctx context.Context) error { _, err := r.Read(ctx, "s.sock", 0); return err }, writ.CodePathInvalid},
		{"path-17/read a device", func(ctx context.Context) error { _, err := r.Read(ctx, "tty", 0); return err }, writ.CodePathOutside},
		{"path-17/name something below a pipe", func(context.Context) error { _, err := r.Clean("data/feed.json/x"); return err }, ""},
		{"path-17/write a pipe", func(context.Context) error { _, err := g.JudgeWrite("data/feed.json"); return err }, writ.CodePathInvalid},
		{"path-17/replace a pipe", func(ctx context.Context) error { return r.Replace(ctx, "data/feed.json", nil, 0, "") }, writ.CodePathInvalid},
		{"path-17/remove a pipe", func(ctx context.Context) error { return r.Remove(ctx, "data/feed.json", Hash(nil)) }, writ.CodePathInvalid},
		{"path-17/write below a pipe", func(ctx context.Context) error { return r.Replace(ctx, "data/feed.json/x.md", nil, 0, "") }, writ.CodePathInvalid},
		{"path-17/hash a pipe", func(ctx context.Context) error { _, err := r.SHA(ctx, "data/feed.json"); return err }, writ.CodePathInvalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			done := make(chan error, 1)
			go func() { done <- tc.act(t.Context()) }()
			select {
			case err := <-done:
				wantCode(t, tc.name, err, tc.want)
			case <-time.After(10 * time.Second):
				t.Fatal("still waiting")
			}
		})
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r, _ := workspace(t, map[string]string{"a.txt": "a"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Read(ctx, "a.txt", 0); err == nil {
		t.Error("read after the end")
	}
}

func TestStat(t *testing.T) {
	t.Parallel()
	r, _ := workspace(t, map[string]string{"a.txt": "a", "d/x": "", "l": "-> d/x", "in": "-> d", "out": "-> ../canary"})
	type answer struct {
		Exists, Dir bool
		Link        string
		Code        writ.Code
	}
	got := map[string]answer{}
	for _, name := range []string{"a.txt", "d", "l", "in/x", "none", "a.txt/x", "out", "out/secret.txt"} {
		exists, _, dir, link, err := r.Stat(name)
		got[name] = answer{exists, dir, link, writ.CodeOf(err)}
	}
	want := map[string]answer{
		"a.txt": {Exists: true}, "d": {Exists: true, Dir: true}, "l": {Exists: true, Link: "d/x"}, "in/x": {Exists: true}, "none": {}, "a.txt/x": {},
		"out": {Exists: true, Link: "../canary"}, "out/secret.txt": {Code: writ.CodePathOutside},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
