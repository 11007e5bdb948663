package file_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/file"
	"github.com/writ-dev/writ/writtest"
)

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{
		"plain.txt":  "a\nb\nc\nd\n",
		"end.txt":    "a\nb",
		"empty.txt":  "",
		"crlf.txt":   "a\r\nb\r\n",
		"bom.txt":    "\ufeffa\n",
		"latin.txt":  "caf\xe9\n",
		"utf16.txt":  "\xff\xfea\x00\n\x00",
		"code.html":  "<a href=\"x\">&</a>\n",
		"staged.txt": "old\n",
	})
	for name, tc := range map[string]struct {
		args args
		want map[string]any
	}{
		"whole":               {args{"path": "plain.txt"}, args{"first_line": 1.0, "last_line": 4.0, "total_lines": 4.0, "content": "a\nb\nc\nd\n"}},
		"a part":              {args{"path": "plain.txt", "offset": 2, "limit": 2}, args{"first_line": 2.0, "last_line": 3.0, "total_lines": 4.0, "content": "b\nc\n"}},
		"to the end":          {args{"path": "plain.txt", "offset": 4, "limit": 9}, args{"first_line": 4.0, "last_line": 4.0, "total_lines": 4.0, "content": "d\n"}},
		"offset 0 is line 1":  {args{"path": "plain.txt", "offset": 0, "limit": 1}, args{"first_line": 1.0, "last_line": 1.0, "total_lines": 4.0, "content": "a\n"}},
		"no last line end":    {args{"path": "end.txt"}, args{"first_line": 1.0, "last_line": 2.0, "total_lines": 2.0, "content": "a\nb"}},
		"empty":               {args{"path": "empty.txt"}, args{"first_line": 1.0, "last_line": 0.0, "total_lines": 0.0, "content": ""}},
		"UP-015/CRLF":         {args{"path": "crlf.txt"}, args{"first_line": 1.0, "last_line": 2.0, "total_lines": 2.0, "content": "a\r\nb\r\n", "line_ends": "CRLF"}},
		"UP-019/mark":         {args{"path": "bom.txt"}, args{"first_line": 1.0, "last_line": 1.0, "total_lines": 1.0, "content": "a\n", "bom": true}},
		"UP-017/Latin-1":      {args{"path": "latin.txt"}, args{"first_line": 1.0, "last_line": 1.0, "total_lines": 1.0, "content": "café\n", "encoding": "ISO-8859-1"}},
		"UP-017/UTF-16":       {args{"path": "utf16.txt"}, args{"first_line": 1.0, "last_line": 1.0, "total_lines": 1.0, "content": "a\n", "encoding": "UTF-16LE", "bom": true}},
		"code is not escaped": {args{"path": "code.html"}, args{"first_line": 1.0, "last_line": 1.0, "total_lines": 1.0, "content": "<a href=\"x\">&</a>\n"}},
		"absolute inside":     {args{"path": writtest.WorkspaceDir + "/end.txt"}, args{"first_line": 1.0, "last_line": 2.0, "total_lines": 2.0, "content": "a\nb"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := d.ok(file.ReadFile, tc.args)
			if sha, _ := got["sha256"].(string); len(sha) != 64 {
				t.Errorf("sha256 = %q", sha)
			}
			want := args{"ok": true, "path": strings.TrimPrefix(tc.args["path"].(string), writtest.WorkspaceDir+"/")}
			for k, v := range tc.want {
				want[k] = v
			}
			delete(got, "sha256")
			delete(got, "note")
			if name == "empty" {
				delete(got, "line_ends")
			}
			if diff := cmp.Diff(map[string]any(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadFileRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{
		"a.txt": "a\n", "dir/b.txt": "b\n",
		"x.png": "\x89PNG\r\n\x1a\n\x0b0Uz\x9f", "y.zip": "PK\x03\x04\n\x05\x18\xbd", "z.txt": "left\x00right\n", "evil\u202e.bin": "\x00",
	})
	for name, tc := range map[string]struct {
		args args
		code writ.Code
		says string
	}{
		"absent":                 {args{"path": "b.txt"}, writ.CodeFileNotFound, "b.txt"},
		"outside":                {args{"path": "../b.txt"}, writ.CodePathOutside, ""},
		"folder":                 {args{"path": "dir"}, writ.CodePathInvalid, ""},
		"behind the end":         {args{"path": "a.txt", "offset": 2}, writ.CodeSchemaInvalid, "has 1 lines"},
		"negative":               {args{"path": "a.txt", "offset": -1}, writ.CodeSchemaInvalid, "negative"},
		"UP-113/a PNG":           {args{"path": "x.png"}, writ.CodeBinaryFile, "binary file of 13 bytes"},
		"UP-113/a zip":           {args{"path": "y.zip"}, writ.CodeBinaryFile, "binary"},
		"UP-113/a text with NUL": {args{"path": "z.txt"}, writ.CodeBinaryFile, "binary"},
		"ui-01/hidden in a name": {args{"path": "evil\u202e.bin"}, writ.CodeBinaryFile, `\u{202e}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			(&desk{t, d.ws, d.reg, d.role}).refused(tc.code, file.ReadFile, tc.args, tc.says)
		})
	}
}

func TestReadFileIsBounded(t *testing.T) {
	t.Parallel()
	const cap64 = 64 << 10
	d := newDesk(t, map[string]string{
		"long.txt": numbered(20_000), "wide.txt": "a\n" + strings.Repeat("ä", 50_000) + "\nb\n",
	}, "long.txt")
	got := d.ok(file.ReadFile, args{"path": "long.txt"})
	content := got["content"].(string)
	last := int(got["last_line"].(float64))
	if len(content) > cap64 || len(content) < cap64-100 || !strings.HasSuffix(content, fmt.Sprintf("line %d\n", last)) {
		t.Errorf("%d bytes up to line %d", len(content), last)
	}
	if want := fmt.Sprintf("truncated: lines 1 to %d of 20000; read on with offset %d", last, last+1); got["note"] != want {
		t.Errorf("note = %v, want %s", got["note"], want)
	}
	next := d.ok(file.ReadFile, args{"path": "long.txt", "offset": last + 1, "limit": 1})
	if want := fmt.Sprintf("line %d\n", last+1); next["content"] != want {
		t.Errorf("read on = %q, want %q", next["content"], want)
	}
	wide := d.ok(file.ReadFile, args{"path": "wide.txt", "offset": 2, "limit": 1})
	if text := wide["content"].(string); !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) || len(text) > cap64 ||
		!strings.Contains(wide["note"].(string), "of 100001 bytes of line 2") {
		t.Errorf("a wide line: %d bytes, note %v", len(text), wide["note"])
	}
}

// Only a whole reading counts as shown, and a partial one of a newer version
// takes an older showing back.
func TestReadFileMarksShown(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"a.txt": numbered(10)}, "a.txt")
	whole := args{"path": "a.txt", "content": numbered(5)}
	d.ok(file.ReadFile, args{"path": "a.txt", "limit": 9})
	d.refused(writ.CodeStaleFile, file.WriteFile, whole, "was not shown to you", "read_file")
	d.ok(file.ReadFile, args{"path": "a.txt", "limit": 10})
	d.ws.SetDisk("a.txt", numbered(11))
	d.refused(writ.CodeStaleFile, file.EditFile, args{"path": "a.txt", "edits": edits("line 3\n", "3\n")}, "changed on disk")
	d.ok(file.ReadFile, args{"path": "a.txt", "offset": 2, "limit": 2})
	d.refused(writ.CodeStaleFile, file.WriteFile, whole, "was not shown to you")
	d.ok(file.EditFile, args{"path": "a.txt", "edits": edits("line 3\n", "3\n")})
	d.refused(writ.CodeStaleFile, file.WriteFile, whole, "was not shown to you")
	d.ok(file.ReadFile, args{"path": "a.txt"})
	d.ok(file.WriteFile, whole)
}
