package edit

import (
	"strings"
)

// remark is a comment's text on one line, or a line of code that is no code
// but begins with an ellipsis.
type remark struct {
	line  int    // counts from 1
	body  string // without the comment's marks
	whole bool   // nothing else stands on the line
	bare  bool   // no comment at all
	fence bool   // inside a fenced block of a document
}

// scanner finds remarks. It walks the text once; a string or a comment over
// several lines is followed to its end.
type scanner struct {
	lang    language
	text    string
	remarks []remark
	line    int
	lineAt  int // where the present line begins
	// open says for a string's mark up to where it is known not to be closed, so
	// that a text full of unclosed marks is not searched again and again.
	open map[string]int
}

// remarks lists the comments of a text in order.
func remarks(lang language, text string) []remark {
	s := &scanner{lang: lang, text: text, line: 1, open: make(map[string]int)}
	fenced := false
	for at := 0; at < len(text); {
		if at == s.lineAt {
			first := strings.TrimSpace(s.rest(at))
			if lang.kind == kindProse && (strings.HasPrefix(first, "```") || strings.HasPrefix(first, "~~~")) {
				fenced = !fenced
			}
			if opensBare(first) {
				s.add(remark{line: s.line, body: first, whole: true, bare: true, fence: fenced})
			}
		}
		at = s.step(at)
	}
	return s.remarks
}

// rest is the present line from a position on, without its end.
func (s *scanner) rest(at int) string {
	line, _, _ := strings.Cut(s.text[at:], lf)
	return line
}

// step handles what begins at a position and returns the next one.
func (s *scanner) step(at int) int {
	if s.text[at] == '\n' {
		s.line, s.lineAt = s.line+1, at+1
		return at + 1
	}
	for _, q := range s.lang.strings {
		if strings.HasPrefix(s.text[at:], q.mark) {
			return s.skipString(at, q)
		}
	}
	for _, b := range s.lang.block {
		if strings.HasPrefix(s.text[at:], b[0]) {
			return s.blockComment(at, b)
		}
	}
	for _, opener := range s.lang.line {
		if strings.HasPrefix(s.text[at:], opener) && s.opens(at) {
			body := s.rest(at + len(opener))
			s.add(remark{line: s.line, body: body, whole: s.blankBefore(at)})
			return at + len(opener) + len(body)
		}
	}
	return at + 1
}

// opens keeps a mark inside a word from opening a comment: the # of an anchor,
// the // of an address, the -- of a decrement.
func (s *scanner) opens(at int) bool {
	return at == s.lineAt || strings.IndexByte(" \t;,){}]>", s.text[at-1]) >= 0
}

func (s *scanner) blankBefore(at int) bool {
	return strings.TrimSpace(strings.TrimLeft(s.text[s.lineAt:at], " \t{")) == ""
}

func (s *scanner) add(r remark) { s.remarks = append(s.remarks, r) }

// skipString returns the end of a literal. A mark that is not closed, on its
// line or at all, is no string: an apostrophe, a lifetime.
func (s *scanner) skipString(at int, q quoting) int {
	from := at + len(q.mark)
	if at < s.open[q.mark] {
		return from
	}
	i := from
	for i < len(s.text) && (q.multi || s.text[i] != '\n') {
		switch {
		case strings.HasPrefix(s.text[i:], q.mark):
			s.countLines(at, i)
			return i + len(q.mark)
		case s.text[i] == '\\' && q.escape:
			i += 2
		default:
			i++
		}
	}
	s.open[q.mark] = i
	return from
}

func (s *scanner) blockComment(at int, marks [2]string) int {
	from := at + len(marks[0])
	end, next := len(s.text), len(s.text)
	if i := strings.Index(s.text[from:], marks[1]); i >= 0 {
		end, next = from+i, from+i+len(marks[1])
	}
	const near = 80 // a longer tail is certainly not alone
	after, _, _ := strings.Cut(s.text[next:min(next+near, len(s.text))], lf)
	alone := strings.TrimSpace(strings.TrimLeft(after, " \t})")) == ""
	lines := strings.Split(s.text[from:end], lf)
	for i, body := range lines {
		whole := (i > 0 || s.blankBefore(at)) && (i < len(lines)-1 || alone)
		if strings.TrimSpace(body) != "" {
			s.add(remark{line: s.line + i, body: body, whole: whole})
		}
	}
	s.countLines(at, end)
	return next
}

func (s *scanner) countLines(from, to int) {
	if i := strings.LastIndexByte(s.text[from:to], '\n'); i >= 0 {
		s.line += strings.Count(s.text[from:to], lf)
		s.lineAt = from + i + 1
	}
}

// opensBare says whether a line begins like "... rest of the file". A spread
// operator has no blank behind its dots, so two words are asked for.
func opensBare(line string) bool {
	line = strings.TrimLeft(line, "([{<")
	return (strings.HasPrefix(line, "...") || strings.HasPrefix(line, "…")) && len(strings.Fields(line)) > 1
}
