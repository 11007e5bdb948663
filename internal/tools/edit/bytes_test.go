package edit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func crlfRows(rows ...string) string { return strings.Join(rows, "\r\n") }

func TestApplyKeepsBytes(t *testing.T) {
	t.Parallel()
	utf16le := func(s string) string {
		raw, err := Text{Encoding: UTF16LE, BOM: true}.Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for name, tc := range map[string]struct {
		content string
		edits   []Edit
		want    string
	}{
		"UP-015/LF text in a CRLF file without a last line end": {
			crlfRows("row 1", "row 2", "row 3", "row 4"),
			[]Edit{{Old: "row 2\nrow 3", New: "two\nand a half\nthree"}},
			crlfRows("row 1", "two", "and a half", "three", "row 4"),
		},
		"UP-015/CRLF anchor, LF replacement": {
			crlfRows("row 1", "row 2", ""), []Edit{{Old: "row 1\r\nrow 2", New: "one\ntwo"}}, crlfRows("one", "two", ""),
		},
		"UP-015/one line becomes several": {
			crlfRows("a", "b", "c"), []Edit{{Old: "b", New: "b1\nb2"}}, crlfRows("a", "b1", "b2", "c"),
		},
		"UP-015/every place with replace_all": {
			crlfRows("x", "y", "x", "y"), []Edit{{Old: "x\ny", New: "z\nz", ReplaceAll: true}}, crlfRows("z", "z", "z", "z"),
		},
		"UP-015/the anchor begins and ends at a line end": {
			crlfRows("a", "b", "c"), []Edit{{Old: "\nb\n", New: "\n"}}, crlfRows("a", "c"),
		},
		"UP-015/CRLF text in an LF file": {
			"a\nb\nc\n", []Edit{{Old: "a\r\nb", New: "x\r\ny"}}, "x\ny\nc\n",
		},
		"UP-015/a mixed file keeps each line's end": {
			"a\r\nb\nc\r\nd\n", []Edit{{Old: "b", New: "b1\nb2"}, {Old: "c", New: "c1\nc2"}}, "a\r\nb1\nb2\nc1\r\nc2\r\nd\n",
		},
		"UP-017/Latin-1 bytes elsewhere": {
			"/* Gef\xfchr \xe9\xe7\xe3 */\nint fee = 10;\n/* \xe9 */\n",
			[]Edit{{Old: "int fee = 10;", New: "int fee = 12;"}},
			"/* Gef\xfchr \xe9\xe7\xe3 */\nint fee = 12;\n/* \xe9 */\n",
		},
		"UP-017/a Latin-1 character is written as one byte": {
			"caf\xe9\nbar\n", []Edit{{Old: "café", New: "thé"}}, "th\xe9\nbar\n",
		},
		"UP-017/windows-1252 quotes": {
			"say \x93hi\x94 for 5 \x80\n", []Edit{{Old: "“hi”", New: "“ho” –"}}, "say \x93ho\x94 \x96 for 5 \x80\n",
		},
		"UP-017/UTF-16 with a mark": {
			utf16le("a=1\r\nb=2\r\n"), []Edit{{Old: "b=2\n", New: "b=😀\nc=3\n"}}, utf16le("a=1\r\nb=😀\r\nc=3\r\n"),
		},
		"UP-017/UTF-8 with a stray byte": {
			"ä \xff\nx = 1\n", []Edit{{Old: "x = 1", New: "x = 2"}}, "ä \xff\nx = 2\n",
		},
		"UP-017/a replacement character that was there stays": {
			"a\ufffdb\nc\n", []Edit{{Old: "c", New: "d"}}, "a\ufffdb\nd\n",
		},
		"UP-019/the first line behind a mark": {
			"\ufeffusing Shop;\nclass P {}\n", []Edit{{Old: "using Shop;\n", New: "using Shop.Core;\n"}}, "\ufeffusing Shop.Core;\nclass P {}\n",
		},
		"UP-019/a copied mark is not doubled": {
			"\ufeffusing Shop;\n", []Edit{{Old: "\ufeffusing Shop;", New: "\ufeffusing Core;"}}, "\ufeffusing Core;\n",
		},
		"UP-019/a mark and CRLF": {
			"\ufeffa\r\nb\r\n", []Edit{{Old: "a\nb", New: "b\na"}}, "\ufeffb\r\na\r\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Apply("f.txt", []byte(tc.content), tc.edits)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(fmt.Sprintf("%q", tc.want), fmt.Sprintf("%q", got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRewriteKeepsForm(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ old, content, want string }{
		"UP-019/a rewrite keeps exactly one mark":        {"\ufeffa\nb\n", "x\ny\n", "\ufeffx\ny\n"},
		"UP-019/a rewrite that brings a mark of its own": {"\ufeffa\nb\n", "\ufeffx\n", "\ufeffx\n"},
		"UP-019/no mark is added":                        {"a\n", "\ufeffx\n", "x\n"},
		"UP-015/uniform CRLF":                            {"a\r\nb\r\n", "x\ny\nz\n", "x\r\ny\r\nz\r\n"},
		"UP-015/uniform CRLF, mixed content":             {"a\r\nb\r\n", "x\r\ny\n", "x\r\ny\r\n"},
		"UP-015/uniform LF":                              {"a\nb\n", "x\r\ny\r\n", "x\ny\n"},
		"a mixed file takes the content as it is":        {"a\r\nb\n", "x\r\ny\nz\n", "x\r\ny\nz\n"},
		"a file without line ends as well":               {"a", "x\r\ny\n", "x\r\ny\n"},
		"an empty file as well":                          {"", "x\r\n", "x\r\n"},
		"UP-017/Latin-1":                                 {"\xe9t\xe9\n", "thé\n", "th\xe9\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Rewrite("f.txt", []byte(tc.old), tc.content)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(fmt.Sprintf("%q", tc.want), fmt.Sprintf("%q", got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRewriteRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		old, content string
		code         writ.Code
		says         string
	}{
		"the same content":                  {"a\n", "a\n", writ.CodeEditNotFound, "nothing changed"},
		"the same but for the line ends":    {"a\r\nb\r\n", "a\nb\n", writ.CodeEditNotFound, "nothing changed"},
		"NUL":                               {"a\n", "a\x00", writ.CodeBinaryFile, "NUL"},
		"UP-113/a binary file":              {"PK\x03\x04 \xff", "text", writ.CodeBinaryFile, "binary"},
		"UP-017/no such character":          {"caf\xe9\n", "日本\n", writ.CodeSchemaInvalid, "ISO-8859-1"},
		"UP-017/which encoding is unknown":  {"ä\xff\n", "é\n", writ.CodeSchemaInvalid, "only ASCII"},
		"UP-017/a control of windows-1252":  {"\x93a\x94\n", "\u0081\n", writ.CodeSchemaInvalid, "windows-1252"},
		"UP-113/UTF-16 that is cut in half": {"\xff\xfea\x00b", "x", writ.CodeBinaryFile, "binary"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Rewrite("f.txt", []byte(tc.old), tc.content)
			wantRefusal(t, err, tc.code, []string{tc.says})
		})
	}
}

func TestDecodeTellsTextFromBinary(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		content string
		want    Encoding // empty for binary
	}{
		"empty":                     {"", UTF8},
		"ASCII":                     {"a\tb\r\n", UTF8},
		"escape sequences are text": {"\x1b[31mred\x1b[0m", UTF8},
		"UTF-16 big endian":         {"\xfe\xff\x00a\x00\n", UTF16BE},
		"Latin-1":                   {"\xe9\xe7\xe3", Latin1},
		"windows-1252":              {"\x93\x94", Windows1252},
		"undefined in windows-1252": {"\x81 \x93", ""},
		"mixed":                     {"ä\xe9", Mixed},
		"UP-113/a text with NUL":    {"left\x00right", ""},
		"UP-113/a broken PNG":       {"\x89PNG\r\n\x1a\n\x0b0Uz\x9f\xc4\xe9\x0e", ""},
		"UP-113/a zip":              {"PK\x03\x04\n\x05\x18\xbd", ""},
		"UP-113/a JPEG":             {"\xff\xd8\xff\xe0\x00\x10JFIF", ""},
		"UP-113/gzip":               {"\x1f\x8b\x08\x08\xaa\xbb", ""},
		"UP-113/a compiled class":   {"\xca\xfe\xba\xbe\x02\x03", ""},
		"half a surrogate pair":     {"\xff\xfe\x00\xd8", ""},
		"NUL in UTF-16":             {"\xff\xfe\x00\x00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := Decode("f", []byte(tc.content))
			if tc.want == "" {
				if writ.CodeOf(err) != writ.CodeBinaryFile {
					t.Fatalf("Decode = %+v, %v, want BINARY_FILE", text, err)
				}
				return
			}
			if err != nil || text.Encoding != tc.want {
				t.Fatalf("Decode = %+v, %v, want %s", text, err, tc.want)
			}
			back, err := text.Encode(text.Body)
			if err != nil || !bytes.Equal(back, []byte(tc.content)) {
				t.Errorf("Encode = %q, %v, want %q", back, err, tc.content)
			}
		})
	}
}
