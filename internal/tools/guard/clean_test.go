package guard

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestCleanTakesPlainForms(t *testing.T) {
	t.Parallel()
	r, ws := workspace(t, map[string]string{"src/a.py": "", "link": "-> src", "Größe.md": "", "e\u0301.md": ""})
	other := filepath.Join(filepath.Dir(ws), "spelling")
	if err := os.Symlink(ws, other); err != nil {
		t.Skip(err)
	}
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "src/a.py", "src/a.py"},
		{"dot", "./src/a.py", "src/a.py"},
		{"doubled slash", "src//./a.py", "src/a.py"},
		{"absolute", ws + "/src/a.py", "src/a.py"},
		{"absolute in another spelling", other + "/src/a.py", "src/a.py"},
		{"through an inner link", "link/a.py", "link/a.py"},
		{"new below a new folder", "lib/text/slug.js", "lib/text/slug.js"},
		{"percent is literal", "100%25/..%2fx.txt", "100%25/..%2fx.txt"},
		{"three dots are a name", "a/...b", "a/...b"},
		{"a tilde inside", "a~b/~c.md", "a~b/~c.md"},
		{"a leading dash", "--output=zap.py", "--output=zap.py"},
		{"composed", "Größe.md", "Größe.md"},
		{"decomposed as it is listed", "e\u0301.md", "e\u0301.md"},
		{"a narrow blank", "Shot 3.04\u202fPM.md", "Shot 3.04\u202fPM.md"},
		{"routing brackets", "app/[slug]/page.tsx", "app/[slug]/page.tsx"},
		{"console.go is no device", "console.go", "console.go"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := r.Clean(tc.in)
			if err != nil || got != tc.want {
				t.Errorf("Clean(%q) = %q, %v; want %q", tc.in, got, err, tc.want)
			}
		})
	}
}

func TestCleanRefuses(t *testing.T) {
	t.Parallel()
	const (
		out  = writ.CodePathOutside
		bad  = writ.CodePathInvalid
		prot = writ.CodeProtectedPath
	)
	r, ws := workspace(t, map[string]string{
		"docs/notes.md": "", "README.md": "", "größe.md": "", ".gitmodules": "", ".mcp.json": "", "p": "-> /proc/self/cwd",
		"out": "-> ../canary", "deep/down": "-> ../out", "hidden": "-> .git/hooks", ".git/hooks/pre-commit": "",
	})
	canary := filepath.Join(filepath.Dir(ws), "canary")
	for _, tc := range []struct {
		name, in string
		want     writ.Code
	}{
		{"path-01/relative climb", "../outside.txt", out},
		{"path-01/climb after a folder", "a/../../outside.txt", out},
		{"path-01/climb hidden behind dots", "./././../outside.txt", out},
		{"path-01/climb with backslashes", `..\..\outside.txt`, out},
		{"path-01/climb that comes back is still refused", "docs/../README.md", bad},
		{"path-03/absolute", "/etc/cron.d/writ", out},
		{"path-03/the folder next door", canary + "/new.txt", out},
		{"path-03/absolute with a climb", ws + "/../canary/secret.txt", out},
		{"path-03/a folder that begins alike", ws + "-moved/x", out},
		{"path-03/network share", "//host/share/x", out},
		{"path-03/home", "~/.profile", out},
		{"path-03/home alone", "~", out},
		{"path-03/home of another", "~root/.profile", out},
		{"path-05/address", "file://" + ws + "/README.md", out},
		{"path-05/address without slashes", "file:/etc/passwd", out},
		{"path-05/web address", "https://example.org/a.md", out},
		{"path-07/NUL", "ok.txt\x00../../x", bad},
		{"path-07/line break", "a\nb.txt", bad},
		{"path-07/escape", "a\x1b[2Jb.txt", bad},
		{"path-07/bell", "docs/bell\a.md", bad},
		{"path-07/C1 control", "docs/a\u009bb.md", bad},
		{"path-07/delete", "docs/a\x7f.md", bad},
		{"path-07/line separator", "docs/a\u2028b.md", bad},
		{"path-07/not UTF-8", "docs/a\xff.md", bad},
		{"path-09/drive", `C:\x`, bad},
		{"path-09/drive with slashes", "C:/x", bad},
		{"path-09/drive without a slash", "C:x", bad},
		{"path-09/share", `\\host\share\x`, bad},
		{"path-09/long form", `\\?\C:\x`, bad},
		{"path-09/backslash", `docs\notes.md`, bad},
		{"path-09/device", "CON", bad},
		{"path-09/device with an extension", "docs/nul.txt", bad},
		{"path-09/device with two extensions", "docs/Aux.tar.gz", bad},
		{"path-09/device as a folder", "com1/a.txt", bad},
		{"path-09/device with a raised digit", "lpt¹.md", bad},
		{"path-09/device with a blank", "con .txt", bad},
		{"path-09/stream", "docs/notes.md:stream", bad},
		{"path-09/trailing dot", "docs/notes.md.", bad},
		{"path-09/trailing blank", "docs/notes.md ", bad},
		{"path-09/trailing blank of a folder", "docs /notes.md", bad},
		{"path-09/trailing no-break blank", "notes\u00a0", bad},
		{"path-09/short name", "NOTES~1.MD", bad},
		{"path-09/reserved sign in private use", "a\uf05cb.md", bad},
		{"path-11/climb through a link of proc", "p/../../canary/new.rb", out},
		{"path-11/below a link of proc", "p/report.rb", out},
		{"path-13/below a link out", "out/prices.json", out},
		{"path-13/below a link to a link out", "deep/down/prices.json", out},
		{"path-19/joiner", ".g\u200cit/config", prot},
		{"path-19/joiner later", ".gi\u200dt/hooks/pre-commit", prot},
		{"path-19/byte order mark", "\ufeff.git/config", prot},
		{"path-19/direction mark", ".git\u200e/hooks/post-merge", prot},
		{"path-19/word joiner elsewhere", "docs/\u2060.md", bad},
		{"path-19/hidden text in tags", "docs/a\U000e0041.md", bad},
		{"path-19/capitals", ".GIT/hooks/pre-commit", prot},
		{"path-19/full-width letters", ".ｇｉｔ/config", prot},
		{"path-19/a dotless letter is another name", ".gıt", ""},
		{"path-19/short name", "GIT~1/config", prot},
		{"path-19/trailing dot", ".git./config", prot},
		{"path-19/trailing blank", ".git /config", prot},
		{"path-19/stream", ".git::$INDEX_ALLOCATION/config", prot},
		{"path-19/backslash", `.git\config`, prot},
		{"path-19/nested", "vendor/lib/.git/config", prot},
		{"path-19/a gitdir file", "vendor/lib/.git", prot},
		{"path-19/through a link", "hidden/pre-commit", prot},
		{"path-21/deep", strings.Repeat("d/", 5000) + "x", bad},
		{"path-21/many components", strings.Repeat("d/", 120) + "x", bad},
		{"path-21/long name", "docs/" + strings.Repeat("n", 300) + ".md", bad},
		{"path-21/long name of wide letters", "docs/" + strings.Repeat("ü", 130) + ".md", bad},
		{"empty", "", bad},
		{"the workspace", ".", bad},
		{"the workspace, absolute", ws, bad},
		{"a folder", "docs/", bad},
		{"second spelling by case", "readme.md", bad},
		{"second spelling of a folder", "Docs/notes.md", bad},
		{"second spelling by form", "gro\u0308ße.md", bad},
		{"second spelling by full folding", "GRÖSSE.md", bad},
		{"second spelling of a protected name", ".GitModules", prot},
		{"second spelling of a protected name, again", ".MCP.json", prot},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			got, err := r.Clean(tc.in)
			if writ.CodeOf(err) != tc.want {
				t.Errorf("Clean(%.80q) = %.80q, %v; want %q", tc.in, got, err, tc.want)
			}
			if took := time.Since(start); took > time.Second {
				t.Errorf("took %v", took)
			}
			if err != nil && strings.ContainsAny(err.Error(), "\x00\x1b\a\n\u2028\u009b") {
				t.Errorf("the message carries what was refused: %q", err)
			}
		})
	}
}

func TestNamesThatAreListedStand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs a file system that keeps spellings apart")
	}
	r, _ := workspace(t, map[string]string{"A.py": "", "a.py": "", "notes~1": ""})
	for _, name := range []string{"A.py", "a.py", "notes~1"} {
		if got, err := r.Clean(name); err != nil || got != name {
			t.Errorf("Clean(%q) = %q, %v", name, got, err)
		}
	}
}

func TestCleanFollowsTheOpenedFolder(t *testing.T) {
	t.Parallel()
	r, ws := workspace(t, map[string]string{"a.py": ""})
	if err := os.Rename(ws, ws+"-moved"); err != nil {
		t.Fatal(err)
	}
	put(t, ws, "b.py", "")
	for in, want := range map[string]string{ws + "/a.py": "a.py", ws + "-moved/a.py": "a.py"} {
		if got, err := r.Clean(in); err != nil || got != want {
			t.Errorf("Clean(%q) = %q, %v", in, got, err)
		}
	}
	if r.Intact() {
		t.Error("a replaced workspace is called intact")
	}
}

func TestShowEscapesWhatCannotBePrinted(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, name := range []string{"a b.md", "größe.md", "a\x1b[2J", "Shot\u202fPM", `a"b`} {
		got[name] = Show(name)
	}
	want := map[string]string{"a b.md": "a b.md", "größe.md": "größe.md", "a\x1b[2J": `"a\x1b[2J"`, "Shot\u202fPM": `"Shot\u202fPM"`, `a"b`: `"a\"b"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"a/b", "./a//b", "../x", "/etc/passwd", ".g\u200cit/x", `a\b`, "~/x", "a/../b", "C:x", "..%2f", "a/./b/", "link/x", "\xff", ".git", "out/x"} {
		f.Add(seed)
	}
	r, ws := workspace(f, map[string]string{"a/b": "x", "link": "-> a", "out": "-> ../canary"})
	f.Fuzz(func(t *testing.T, p string) {
		rel, err := r.Clean(p)
		if err != nil {
			if writ.CodeOf(err) == writ.CodeInternal || rel != "" {
				t.Errorf("Clean(%q) = %q, %v: a refusal has a code and no path", p, rel, err)
			}
			return
		}
		if again, err := r.Clean(rel); err != nil || again != rel {
			t.Errorf("Clean(%q) = %q, and cleaned again %q, %v", p, rel, again, err)
		}
		if filepath.IsAbs(rel) || !filepath.IsLocal(filepath.FromSlash(rel)) {
			t.Errorf("Clean(%q) = %q leaves the workspace", p, rel)
		}
		full, err := filepath.EvalSymlinks(filepath.Join(ws, filepath.FromSlash(rel)))
		if real, realErr := filepath.EvalSymlinks(ws); err == nil && realErr == nil && full != real && !strings.HasPrefix(full, real+string(filepath.Separator)) {
			// A link itself may be named; reading through it is what is refused.
			if _, err := r.Read(t.Context(), rel, 0); writ.CodeOf(err) != writ.CodePathOutside {
				t.Errorf("Read(%q) leaves the workspace: %v", rel, err)
			}
		}
	})
}
