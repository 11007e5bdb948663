package edit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestApplyReplacesExactly(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		content string
		edits   []Edit
		want    string
	}{
		"one place": {
			"a\nb\nc\n", []Edit{{Old: "b", New: "B"}}, "a\nB\nc\n",
		},
		"removal": {
			"a\nb\nc\n", []Edit{{Old: "b\n"}}, "a\nc\n",
		},
		"all places": {
			"x = x + x\n", []Edit{{Old: "x", New: "yy", ReplaceAll: true}}, "yy = yy + yy\n",
		},
		"all places, overlapping ones once": {
			"aaaaa", []Edit{{Old: "aa", New: "b", ReplaceAll: true}}, "bba",
		},
		"an edit sees what the one before left": {
			"a\n", []Edit{{Old: "a", New: "b"}, {Old: "b", New: "c"}}, "c\n",
		},
		"tabs and trailing blanks stay": {
			"\tif x {  \n\t\ty()\n\t}\n", []Edit{{Old: "y()", New: "z()"}}, "\tif x {  \n\t\tz()\n\t}\n",
		},
		"no last line end": {
			"a\nb", []Edit{{Old: "b", New: "c"}}, "a\nc",
		},
		"patterns and references are plain text": {
			"a.*b $1\n", []Edit{{Old: "a.*b $1", New: "${1} \\1"}}, "${1} \\1\n",
		},
		"UP-025/three edits land together": {
			"def f():\n    a()\n    b()\n    return None\n",
			[]Edit{{Old: "    a()\n", New: "    a1()\n    a2()\n    a3()\n"}, {Old: "    b()\n", New: "    c()\n"}, {Old: "None", New: "0"}},
			"def f():\n    a1()\n    a2()\n    a3()\n    c()\n    return 0\n",
		},
		"unicode": {
			"grüße: 你好\n", []Edit{{Old: "你好", New: "世界"}}, "grüße: 世界\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Apply("f.txt", []byte(tc.content), tc.edits)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	const calc = "RATES_A = {'full': 0.2}\nRATES_B = {'full': 0.1}\n\n\ndef tax_a(net):\n    rate = RATES_A['full']\n    return round(net * rate, 2)\n\n\ndef tax_b(net):\n    rate = RATES_B['full']\n    return round(net * rate, 2)\n"
	for name, tc := range map[string]struct {
		content string
		edits   []Edit
		code    writ.Code
		says    []string // in message or advice
	}{
		"no edits": {"a", nil, writ.CodeSchemaInvalid, []string{"edits is empty"}},
		"UP-011/an empty anchor matches nothing": {
			calc, []Edit{{New: "five\nnew\nlines\n"}}, writ.CodeEditNotFound, []string{"nothing to match", "write_file"},
		},
		"UP-011/an empty anchor in an empty file": {
			"", []Edit{{New: "x"}}, writ.CodeEditNotFound, []string{"nothing to match"},
		},
		"UP-011/an anchor that is a byte order mark only": {
			"\ufeffx", []Edit{{Old: "\ufeff", New: "y"}}, writ.CodeEditNotFound, []string{"nothing to match"},
		},
		"UP-011/an empty anchor with replace_all": {
			"abc", []Edit{{New: "-", ReplaceAll: true}}, writ.CodeEditNotFound, []string{"nothing to match"},
		},
		"UP-023/both look-alikes are named, none is changed": {
			calc, []Edit{{Old: "    rate = RATES_C['full']\n    return round(net * rate, 2)", New: "x"}},
			writ.CodeEditNotFound, []string{"6| ", "RATES_A['full']", "11| ", "RATES_B['full']"},
		},
		"UP-023/wrong indentation is told as such": {
			calc, []Edit{{Old: "\trate = RATES_B['full']", New: "x"}},
			writ.CodeEditNotFound, []string{"11| ", "only white space differs"},
		},
		"UP-023/line numbers in the anchor": {
			calc, []Edit{{Old: "10| def tax_b(net):\n11|     rate = RATES_B['full']", New: "x"}},
			writ.CodeEditNotFound, []string{"leave the line numbers out", "10| ", "11| "},
		},
		"UP-023/letter case is not forgiven": {
			calc, []Edit{{Old: "def TAX_B(net):", New: "x"}}, writ.CodeEditNotFound, []string{"nearest lines"},
		},
		"UP-025/the edit that fails is named": {
			calc, []Edit{{Old: "def tax_a", New: "def tax_c"}, {Old: "no such text", New: "x"}, {Old: "def tax_b", New: "def d"}},
			writ.CodeEditNotFound, []string{"edit 2 of 3", "no edit was carried out"},
		},
		"UP-025/an edit that the one before made impossible": {
			"a\nb\n", []Edit{{Old: "a\nb", New: "c"}, {Old: "b", New: "d"}}, writ.CodeEditNotFound, []string{"edit 2 of 2"},
		},
		"UP-025/an edit that the one before made ambiguous": {
			"a\nb\n", []Edit{{Old: "a", New: "b"}, {Old: "b", New: "d"}}, writ.CodeEditAmbiguous, []string{"edit 2 of 2", "2 places", "1| b", "2| b"},
		},
		"ambiguous": {
			calc, []Edit{{Old: "return round(net * rate, 2)", New: "x"}},
			writ.CodeEditAmbiguous, []string{"2 places", "7| ", "12| ", "replace_all"},
		},
		"overlapping places are two": {"aaa", []Edit{{Old: "aa", New: "b"}}, writ.CodeEditAmbiguous, []string{"2 places"}},
		"nothing near": {
			"alpha\n", []Edit{{Old: "§§§§ 1234567890", New: "x"}}, writ.CodeEditNotFound, []string{"nothing in the file comes near", "1 line"},
		},
		"same text": {"a\nb\n", []Edit{{Old: "a", New: "a"}}, writ.CodeEditNotFound, []string{"nothing changed"}},
		"edits that cancel out": {
			"a\n", []Edit{{Old: "a", New: "b"}, {Old: "b", New: "a"}}, writ.CodeEditNotFound, []string{"nothing changed"},
		},
		"only the line end differs in a CRLF file": {
			"a\r\nb\r\n", []Edit{{Old: "a\nb", New: "a\r\nb"}}, writ.CodeEditNotFound, []string{"nothing changed"},
		},
		"NUL": {"a\n", []Edit{{Old: "a", New: "b\x00"}}, writ.CodeBinaryFile, []string{"NUL"}},
		"UP-113/a binary file": {
			"\x89PNG\r\n\x1a\n", []Edit{{Old: "PNG", New: "x"}}, writ.CodeBinaryFile, []string{"binary file of 8 bytes"},
		},
		"a result that would fill the memory": {
			strings.Repeat("a", 1<<16), []Edit{{Old: "a", New: strings.Repeat("b", 1<<16), ReplaceAll: true}},
			writ.CodeTooLarge, []string{"bytes"},
		},
		"escapes in the file are shown, not sent": {
			"title \x1b[2J\u202e x\n", []Edit{{Old: "title [2J x", New: "x"}}, writ.CodeEditNotFound, []string{`\u{1b}`, `\u{202e}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Apply("calc.py", []byte(tc.content), tc.edits)
			wantRefusal(t, err, tc.code, tc.says)
			if got != nil {
				t.Errorf("a refused edit gave content: %q", got)
			}
		})
	}
}

func wantRefusal(t *testing.T, err error, code writ.Code, says []string) {
	t.Helper()
	if writ.CodeOf(err) != code {
		t.Fatalf("error = %v (%s), want %s", err, writ.CodeOf(err), code)
	}
	e := err.(*writ.Error) //nolint:errorlint // its code was just found
	text := e.Error() + ": " + e.Advice()
	for _, want := range says {
		if !strings.Contains(text, want) {
			t.Errorf("error does not say %q:\n%s", want, text)
		}
	}
	if strings.ContainsAny(e.Msg, "\n\x1b") {
		t.Errorf("the message is not one plain line: %q", e.Msg)
	}
}

// The work of a refusal must not grow with the square of a hostile file.
func TestApplyOnPeriodicText(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("a", 1<<20)
	_, err := Apply("f.txt", []byte(content), []Edit{{Old: content[:1<<19], New: "b"}})
	wantRefusal(t, err, writ.CodeEditAmbiguous, []string{"at least 1000 places"})
}
