package staging

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPatchText(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		p    filePatch
		want string
	}{
		{"modify", filePatch{from: "a.txt", to: "a.txt", before: []byte("1\n2\n3\n4\n5\n"), after: []byte("1\n2\nIII\n4\n5\n"), existed: true, is: true, oldMode: 0o644, mode: 0o644},
			"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,5 +1,5 @@\n 1\n 2\n-3\n+III\n 4\n 5\n"},
		{"create", filePatch{from: "n.txt", to: "n.txt", after: []byte("x\n"), is: true, mode: 0o755},
			"diff --git a/n.txt b/n.txt\nnew file mode 100755\n--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+x\n"},
		{"delete", filePatch{from: "n.txt", to: "n.txt", before: []byte("x"), existed: true, oldMode: 0o644},
			"diff --git a/n.txt b/n.txt\ndeleted file mode 100644\n--- a/n.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n"},
		{"last newline lost", filePatch{from: "a", to: "a", before: []byte("1\n2\n"), after: []byte("1\n2"), existed: true, is: true, oldMode: 0o644, mode: 0o644},
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+2\n\\ No newline at end of file\n"},
		{"mode alone", filePatch{from: "a", to: "a", before: []byte("1\n"), after: []byte("1\n"), existed: true, is: true, oldMode: 0o644, mode: 0o755},
			"diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"},
		{"move", filePatch{from: "old.txt", to: "new name.txt", before: []byte("1\n"), after: []byte("2\n"), existed: true, is: true, oldMode: 0o644, mode: 0o644},
			"diff --git a/old.txt b/new name.txt\nrename from old.txt\nrename to new name.txt\n--- a/old.txt\n+++ b/new name.txt\t\n@@ -1 +1 @@\n-1\n+2\n"},
		{"empty file made", filePatch{from: "e", to: "e", is: true, mode: 0o644}, "diff --git a/e b/e\nnew file mode 100644\n"},
		{"binary", filePatch{from: "i.png", to: "i.png", before: []byte("\x00a"), after: []byte("\x00b"), existed: true, is: true, oldMode: 0o644, mode: 0o644},
			"diff --git a/i.png b/i.png\nBinary files a/i.png and b/i.png differ\n"},
		{"quoted name", filePatch{from: "a\"b", to: "a\"b", after: []byte("x\n"), is: true, mode: 0o644},
			"diff --git \"a/a\\\"b\" \"b/a\\\"b\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/a\\\"b\"\n@@ -0,0 +1 @@\n+x\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			tc.p.write(&b)
			if diff := cmp.Diff(tc.want, b.String()); diff != "" {
				t.Errorf("patch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPatchIsGits gives our patches to git, which must make the new tree of
// the old one.
func TestPatchIsGits(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	type side struct {
		content string
		mode    fs.FileMode
	}
	cases := map[string][2]map[string]side{
		"modify far apart":  {{"a": {lines(1, 40), 0o644}}, {"a": {strings.Replace(strings.Replace(lines(1, 40), "line 3\n", "", 1), "line 30\n", "x\ny\n", 1), 0o644}}},
		"create in folder":  {{}, {"d/e/ü x.txt": {"hi", 0o755}}},
		"delete":            {{"a b": {"x\n", 0o644}}, {}},
		"crlf":              {{"a": {"1\r\n2\r\n", 0o644}}, {"a": {"1\r\nzwei\r\n", 0o644}}},
		"to empty":          {{"a": {"1\n", 0o644}}, {"a": {"", 0o644}}},
		"from empty":        {{"a": {"", 0o644}}, {"a": {"1\n", 0o644}}},
		"newline comes":     {{"a": {"1\n2", 0o644}}, {"a": {"1\n2\n", 0o644}}},
		"mode and content":  {{"a": {"1\n", 0o644}}, {"a": {"2\n", 0o755}}},
		"executable only":   {{"a": {"1\n", 0o644}}, {"a": {"1\n", 0o755}}},
		"lines like a head": {{"a": {"-- x\n++ y\n", 0o644}}, {"a": {"++ y\n@@ -1 +1 @@\n", 0o644}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var b strings.Builder
			for _, rel := range union(tc[0], tc[1]) {
				before, existed := tc[0][rel]
				after, is := tc[1][rel]
				filePatch{from: rel, to: rel, before: []byte(before.content), after: []byte(after.content), existed: existed, is: is, oldMode: before.mode, mode: after.mode}.write(&b)
			}
			for rel, s := range tc[0] {
				writeFile(t, filepath.Join(dir, rel), s.content)
				if err := os.Chmod(filepath.Join(dir, rel), s.mode); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(git, "apply", "--whitespace=nowarn", "-")
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(b.String())
			cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git apply: %v\n%s\n%s", err, out, b.String())
			}
			want := map[string]string{}
			for rel, s := range tc[1] {
				want[rel] = s.content
				if got := mode(t, filepath.Join(dir, rel)); got&0o111 != s.mode&0o111 {
					t.Errorf("%s has mode %v, want %v", rel, got, s.mode)
				}
			}
			if diff := cmp.Diff(want, readTree(t, dir)); diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
		})
	}
}

func union[V any](a, b map[string]V) []string {
	var keys []string
	for k := range a {
		keys = append(keys, k)
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	return sorted(keys...)
}

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// FuzzHunks applies the hunks of two texts to the first, which must give the
// second.
func FuzzHunks(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nX\nc")
	f.Add("", "x")
	f.Add("x", "")
	f.Add("\n\n\n", "\n\n")
	f.Add("a\r\nb", "b\r\na\n")
	f.Fuzz(func(t *testing.T, before, after string) { checkHunks(t, before, after) })
}

func TestHunksOfLargeTexts(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	old := strings.SplitAfter(lines(1, 30_000), "\n")
	for range 3_000 {
		old[rng.IntN(len(old))] = fmt.Sprintf("changed %d\n", rng.IntN(1000))
	}
	checkHunks(t, lines(1, 30_000), strings.Join(old, ""))
	checkHunks(t, lines(1, 30_000), lines(40_000, 70_000))
}

func checkHunks(t *testing.T, before, after string) {
	t.Helper()
	var b strings.Builder
	writeHunks(&b, splitLines([]byte(before)), splitLines([]byte(after)))
	got, err := applyHunks(splitLines([]byte(before)), b.String())
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if got != after {
		t.Fatalf("%q with\n%s\ngives %q, want %q", before, b.String(), got, after)
	}
	added, deleted := countLines([]byte(before), []byte(after))
	if n := len(splitLines([]byte(before))) + added - deleted; !binary([]byte(before+after)) && n != len(splitLines([]byte(after))) {
		t.Fatalf("%d lines added and %d deleted do not fit %q to %q", added, deleted, before, after)
	}
}

// applyHunks is a second, simple reader of the format.
func applyHunks(before []string, patch string) (string, error) {
	const marker = "\\ No newline at end of file\n"
	var out strings.Builder
	at := 0
	take := func(text string, last bool) string {
		if last {
			return strings.TrimSuffix(text, "\n")
		}
		return text
	}
	rows := strings.SplitAfter(patch, "\n")
	for i, row := range rows {
		last := i+1 < len(rows) && rows[i+1] == marker
		switch {
		case row == "" || row == marker:
		case row[0] == '@':
			start, _, _ := strings.Cut(strings.TrimPrefix(row, "@@ -"), " ")
			first, count, ranged := strings.Cut(start, ",")
			n, err := strconv.Atoi(first)
			if err != nil {
				return "", fmt.Errorf("bad header %q", row)
			}
			if !ranged || count != "0" {
				n--
			}
			out.WriteString(strings.Join(before[at:n], ""))
			at = n
		case row[0] == '+':
			out.WriteString(take(row[1:], last))
		default:
			if at >= len(before) || before[at] != take(row[1:], last) {
				return "", fmt.Errorf("line %d does not fit %q", at, row)
			}
			if row[0] == ' ' {
				out.WriteString(before[at])
			}
			at++
		}
	}
	out.WriteString(strings.Join(before[at:], ""))
	return out.String(), nil
}
