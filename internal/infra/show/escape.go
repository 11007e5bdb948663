package show

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns s with every character that a terminal obeys instead of
// showing, or that hides itself, written as \u{HEX}. A byte that is not UTF-8
// becomes \x{HEX}. Line feed, tab, and a carriage return before a line feed
// stay, so that a diff keeps its shape. It is safe for concurrent use.
func Escape(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x{%02x}`, s[i])
		case r == '\r' && strings.HasPrefix(s[i+size:], "\n"), !hidden(r):
			b.WriteString(s[i : i+size])
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		i += size
	}
	return b.String()
}

// Line is Escape for text that must stay on one line, such as a path in a
// message: line feeds, carriage returns and tabs are escaped too.
func Line(s string) string {
	return strings.NewReplacer("\n", `\u{a}`, "\r", `\u{d}`, "\t", `\u{9}`).Replace(Escape(s))
}

// clean reports whether s consists of ASCII that needs no escape, which nearly
// all text does.
func clean(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c == 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// hidden reports whether a character acts on the terminal or cannot be seen.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		// Cf holds the bidirectional controls, zero-width joiners, the byte
		// order mark, soft hyphen and the tag characters.
		return true
	case unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r), unicode.Is(unicode.Co, r):
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r) || blank(r)
}

// blank reports whether a character prints as nothing or as an empty cell
// although Unicode calls it a letter, a mark or a symbol.
func blank(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return true
	}
	return false
}
