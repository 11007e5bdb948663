package show

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "a/b.go: ok\n\tx", "a/b.go: ok\n\tx"},
		{"letters of every script", "größe 大小 размер 🎉", "größe 大小 размер 🎉"},
		{"crlf keeps its shape", "one\r\ntwo\r\n", "one\r\ntwo\r\n"},
		{"lone carriage return repaints a line", "rm -rf /\rls", `rm -rf /\u{d}ls`},
		{"colour", "\x1b[31mred\x1b[0m", `\u{1b}[31mred\u{1b}[0m`},
		{"title", "\x1b]0;owned\a", `\u{1b}]0;owned\u{7}`},
		{"eight-bit control sequence", "\u009b2J", `\u{9b}2J`},
		{"backspace", "safe\b\b\b\bevil", `safe\u{8}\u{8}\u{8}\u{8}evil`},
		{"bidirectional override", "a\u202egpj.exe", `a\u{202e}gpj.exe`},
		{"isolate", "\u2066x\u2069", `\u{2066}x\u{2069}`},
		{"zero width", "ad\u200bmin\u200d\ufeff", `ad\u{200b}min\u{200d}\u{feff}`},
		{"tag characters", "x\U000e0041", `x\u{e0041}`},
		{"variation selector", "x\ufe0f", `x\u{fe0f}`},
		{"line separator", "a\u2028b", `a\u{2028}b`},
		{"hangul filler", "a\u3164b", `a\u{3164}b`},
		{"not UTF-8", "caf\xe9", `caf\x{e9}`},
		{"delete", "a\x7f", `a\u{7f}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := Escape(tc.in); got != tc.want {
				t.Errorf("Escape(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

func TestLineStaysOnOneLine(t *testing.T) {
	t.Parallel()
	got := Line("a.go\nwrit: succeeded\r\n\tx")
	if want := `a.go\u{a}writ: succeeded\u{d}\u{a}\u{9}x`; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

func FuzzEscape(f *testing.F) {
	for _, seed := range []string{"", "a\x1b[0m", "\u202e\r\n\xff", "\U000e0001", "\r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Escape(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Escape(%q) = %q is not UTF-8", s, got)
		}
		if again := Escape(got); again != got {
			t.Fatalf("escaping twice: %q, then %q", got, again)
		}
		for _, r := range strings.ReplaceAll(got, "\r\n", "\n") {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Fatalf("Escape(%q) = %q still has %U", s, got, r)
			}
		}
		if line := Line(s); strings.ContainsAny(line, "\n\r\t") {
			t.Fatalf("Line(%q) = %q has a line break", s, line)
		}
	})
}

func BenchmarkEscapePlain(b *testing.B) {
	text := strings.Repeat("func main() { return }\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Escape(text)
	}
}
