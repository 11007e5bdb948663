package guard

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold is what two names share that some file system takes for one: letters
// without case, composed. Compatibility forms stay apart, since no file system
// joins them.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFD.String(s)))
}

// foldPolicy is the coarser form under which policy is judged: code points
// without a glyph are dropped and compatibility forms joined, so that no
// look-alike of a protected name slips by.
func foldPolicy(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	s = strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, s)
	return norm.NFKC.String(cases.Fold().String(norm.NFKD.String(s)))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// invisible reports whether a code point has no glyph of its own: it can hide
// in a name, turn its direction, or be dropped by a file system (HFS+ ignores
// U+200C to U+200F, U+202A to U+202E, U+206A to U+206F and U+FEFF).
func invisible(r rune) bool {
	switch {
	case unicode.Is(unicode.Cf, r):
		return true
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0: // joiner and Hangul fillers
		return true
	case r == 0x17B4, r == 0x17B5, r >= 0x180B && r <= 0x180F: // Khmer and Mongolian
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE0FFF: // variation selectors and tags
		return true
	case r == 0x2028, r == 0x2029, r == 0x2800: // separators, the empty Braille cell
		return true
	}
	return false
}

// disguisedGit reports whether some system would take the name for .git: by
// case, by code points that it ignores, by a trailing dot or blank, by a
// stream's name, or by the short name that NTFS gives.
func disguisedGit(name string) bool {
	name = foldPolicy(name)
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimRight(name, ". \t")
	if name == ".git" {
		return true
	}
	digits, ok := strings.CutPrefix(name, "git~")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// Show writes a name as a terminal, a log or a model may see it: what cannot
// be printed, a narrow blank for instance, is escaped.
func Show(name string) string {
	quoted := strconv.Quote(name)
	if inner := quoted[1 : len(quoted)-1]; inner != name {
		return quoted
	}
	return name
}
