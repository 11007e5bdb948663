package edit

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// What can be read can be stored back byte for byte.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "a\r\nb", "\ufeffx", "\xff\xfea\x00", "\xfe\xff\x00a", "\xe9", "\x93x\x94", "ä\xff", "\x00", "\xff\xfe\x00\xd8"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		text, ok := decode(content)
		if !ok {
			return
		}
		if !utf8.ValidString(text.Body) {
			t.Fatalf("the body of %q is not UTF-8: %q", content, text.Body)
		}
		back, err := text.Encode(text.Body)
		if err != nil || !bytes.Equal(back, content) {
			t.Fatalf("Encode(Decode(%q)) = %q, %v", content, back, err)
		}
	})
}

// An edit is done exactly or not at all: what it does can be checked against a
// plain replacement, and undoing it gives the old bytes back.
func FuzzApply(f *testing.F) {
	f.Add("a\nb\nc\n", "b", "x", "c", "y", false)
	f.Add("a\r\nb\r\n", "a\nb", "c\nd\ne", "", "", false)
	f.Add("\ufeffx x", "x", "y", "y", "z", true)
	f.Add("caf\xe9 x", "x", "é", "é", "日", false)
	f.Add("aaaa", "aa", "b", "b", "aa", true)
	f.Add("\xff\xfea\x00b\x00", "a", "😀", "b", "", false)
	f.Add("a\rb\nc\r\n", "\n", "\r\n", "b", "\r", true)
	f.Fuzz(func(t *testing.T, content, old1, new1, old2, new2 string, all bool) {
		edits := []Edit{{old1, new1, all}, {old2, new2, all}}
		before := strings.Clone(content)
		got, err := Apply("f.txt", []byte(content), edits)
		if content != before {
			t.Fatal("the given content was changed")
		}
		if err != nil {
			if got != nil {
				t.Fatalf("an error and content: %v, %q", err, got)
			}
			return
		}
		if string(got) == content {
			t.Fatal("success without a change")
		}
		first, err := Apply("f.txt", []byte(content), edits[:1])
		if err != nil {
			t.Fatalf("both edits apply, the first alone does not: %v", err)
		}
		second, err := Apply("f.txt", first, edits[1:])
		if err != nil || !bytes.Equal(second, got) {
			t.Fatalf("one by one gives %q, %v; together %q", second, err, got)
		}
		checkPlain(t, content, edits[0], first)
	})
}

// checkPlain compares with a plain replacement where no line end and no
// encoding is involved.
func checkPlain(t *testing.T, content string, e Edit, got []byte) {
	t.Helper()
	plain := !strings.ContainsAny(content+e.Old+e.New, "\r\ufeff") && utf8.ValidString(content+e.Old+e.New)
	if !plain || strings.HasPrefix(content, "\xff") {
		return
	}
	n := 1
	if e.ReplaceAll {
		n = -1
	}
	if want := strings.Replace(content, e.Old, e.New, n); want != string(got) {
		t.Fatalf("Apply(%q, %+v) = %q, want %q", content, e, got, want)
	}
}

// Judging content never panics, and content that is already there is honest.
func FuzzPlaceholder(f *testing.F) {
	for _, body := range []string{"// ... rest unchanged ...\n", "x = '''\n# ...\n", "/* a\n* b */", "`", "Sure! Here:\n```\n", "{/* … */}", "((((", "# 其余代码不变"} {
		f.Add("a.js", "", body)
		f.Add("b.py", body, body+"\n")
		f.Add("README.md", "x\n", body)
		f.Add("noext", strings.Repeat("line\n", 200), body)
	}
	f.Fuzz(func(t *testing.T, path, old, content string) {
		if e := Placeholder(path, []byte(old), []byte(content)); e != nil && (e.Code == "" || strings.Contains(e.Msg, "\n")) {
			t.Fatalf("an unusable refusal: %+v", e)
		}
		if e := Placeholder(path, []byte(content), []byte(content)); e != nil {
			t.Fatalf("unchanged content is refused: %v", e)
		}
	})
}
