package glob

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// atom is one element of a segment: a literal, "?", "*" or a bracket.
type atom struct {
	kind byte // 'l', '?', '*' or '['
	r    rune
	set  string // the inside of a bracket
	neg  bool
}

// segment is what a pattern says of one name.
type segment struct {
	text  string // the name itself where there is no wildcard
	atoms []atom // nil where there is none
	deep  bool   // "**": any number of folders
}

// scan reads one segment.
func scan(name string) (segment, error) {
	if !strings.ContainsAny(name, "*?[\\") {
		return segment{text: name}, nil
	}
	seg := segment{deep: name == "**"}
	for len(name) > 0 {
		a, rest, err := next(name)
		if err != nil {
			return segment{}, err
		}
		seg.atoms, name = append(seg.atoms, a), rest
	}
	return seg, nil
}

// next reads the first atom of a segment that is not empty.
func next(seg string) (atom, string, error) {
	r, n := utf8.DecodeRuneInString(seg)
	switch r {
	case '*':
		return atom{kind: '*'}, strings.TrimLeft(seg, "*"), nil
	case '?':
		return atom{kind: '?'}, seg[1:], nil
	case '\\':
		if len(seg) == 1 {
			return atom{}, "", errors.New("a backslash ends the segment")
		}
		r, n = utf8.DecodeRuneInString(seg[1:])
		return atom{kind: 'l', r: r}, seg[1+n:], nil
	case '[':
		return bracket(seg)
	}
	return atom{kind: 'l', r: r}, seg[n:], nil
}

// bracket reads "[...]"; a "]" that stands first belongs to the set.
func bracket(seg string) (atom, string, error) {
	a, body := atom{kind: '['}, seg[1:]
	if body != "" && (body[0] == '!' || body[0] == '^') {
		a.neg, body = true, body[1:]
	}
	for i := 0; i < len(body); i++ {
		switch {
		case body[i] == '\\':
			i++
		case strings.HasPrefix(body[i:], "[:"):
			end := strings.Index(body[i:], ":]")
			if end < 0 {
				return atom{}, "", errors.New("a character class is not closed")
			}
			i += end + 1
		case body[i] == ']' && i > 0:
			a.set = body[:i]
			return a, body[i+1:], nil
		}
	}
	return atom{}, "", errors.New("a bracket is not closed")
}

// match matches one name. A failed match goes back to the last star only, so
// the time is at most the product of the lengths.
func (seg segment) match(name string) bool {
	if seg.atoms == nil {
		return seg.text == name
	}
	atoms := seg.atoms
	runes := []rune(name)
	p, s := 0, 0
	back, from := -1, 0
	for s < len(runes) {
		switch {
		case p < len(atoms) && atoms[p].kind == '*':
			back, from = p, s
			p++
		case p < len(atoms) && atoms[p].matches(runes[s]):
			p, s = p+1, s+1
		case back >= 0:
			from++
			p, s = back+1, from
		default:
			return false
		}
	}
	for p < len(atoms) && atoms[p].kind == '*' {
		p++
	}
	return p == len(atoms)
}

// matches reports whether the atom, which is no star, stands for the rune.
func (a atom) matches(r rune) bool {
	switch a.kind {
	case '?':
		return true
	case '[':
		return inSet(a.set, r) != a.neg
	}
	return a.r == r
}

// inSet reads a bracket's inside: runes, ranges, escapes, POSIX classes.
func inSet(set string, r rune) bool {
	for len(set) > 0 {
		if strings.HasPrefix(set, "[:") {
			name, rest, _ := strings.Cut(set[2:], ":]")
			if inClass(name, r) {
				return true
			}
			set = rest
			continue
		}
		var lo rune
		lo, set = member(set)
		hi := lo
		if len(set) > 1 && set[0] == '-' {
			hi, set = member(set[1:])
		}
		if lo <= r && r <= hi {
			return true
		}
	}
	return false
}

// member reads one rune of a set, which may be escaped.
func member(set string) (rune, string) {
	if set[0] == '\\' && len(set) > 1 {
		set = set[1:]
	}
	r, n := utf8.DecodeRuneInString(set)
	return r, set[n:]
}

// inClass knows the POSIX classes; any other name is an empty class.
func inClass(name string, r rune) bool {
	switch name {
	case "alpha":
		return unicode.IsLetter(r)
	case "digit":
		return '0' <= r && r <= '9'
	case "alnum":
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	case "upper":
		return unicode.IsUpper(r)
	case "lower":
		return unicode.IsLower(r)
	case "space", "blank":
		return unicode.IsSpace(r)
	case "punct":
		return unicode.IsPunct(r) || unicode.IsSymbol(r)
	case "xdigit":
		return strings.ContainsRune("0123456789abcdefABCDEF", r)
	}
	return false
}
