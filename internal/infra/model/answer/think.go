package answer

import "strings"

// tags are the marks that open models print around their reasoning.
func tags() []string { return []string{"think", "thinking"} }

// part is a piece of text or of reasoning.
type part struct {
	thought bool
	text    string
}

// splitter takes think blocks out of a text while it streams. A block begins
// only where nothing but blanks stand before it on its line: a tag inside a
// sentence, a string or a line of code is text.
type splitter struct {
	in    string // the tag of the open block
	blank bool   // the present line has only blanks so far
	first bool   // nothing but blanks came yet
	trim  bool   // blanks right after a block are dropped
	seen  bool   // a block was opened
	hold  string // may be the begin of a tag
}

// push takes a piece and returns what is certain by now.
func (s *splitter) push(piece string) []part {
	text := s.hold + piece
	s.hold = ""
	var out []part
	for text != "" {
		if s.in != "" {
			var p part
			p, text = s.inside(text)
			out = append(out, p)
			continue
		}
		if s.trim {
			text = strings.TrimLeft(text, " \t\r\n")
			if text == "" {
				break
			}
			s.trim = false
		}
		var p part
		p, text = s.outside(text)
		out = append(out, p)
	}
	return out
}

// inside returns the reasoning up to the closing tag, and what follows it.
func (s *splitter) inside(text string) (part, string) {
	end := "</" + s.in + ">"
	if i := strings.Index(text, end); i >= 0 {
		s.in, s.trim, s.blank = "", true, true
		return part{true, text[:i]}, text[i+len(end):]
	}
	keep := overlap(text, end)
	s.hold = text[len(text)-keep:]
	return part{true, text[:len(text)-keep]}, ""
}

// outside returns the text up to an opening tag, and what follows it.
func (s *splitter) outside(text string) (part, string) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			s.blank = true
		case c == ' ' || c == '\t' || c == '\r':
		case c == '<' && s.blank:
			tag, maybe := opening(text[i:])
			if tag != "" {
				before := text[:i]
				if s.first {
					before = "" // blanks before a leading block
				}
				s.in, s.seen = tag, true
				return part{false, before}, text[i+len(tag)+2:]
			}
			if maybe {
				s.hold = text[i:]
				return part{false, text[:i]}, ""
			}
			s.blank, s.first = false, false
		default:
			s.blank, s.first = false, false
		}
	}
	return part{false, text}, ""
}

// flush gives out what was held back: no tag came of it.
func (s *splitter) flush() []part {
	held := s.hold
	s.hold = ""
	return []part{{s.in != "", held}}
}

// opening returns the tag that text begins with, or whether it may become one.
func opening(text string) (tag string, maybe bool) {
	for _, t := range tags() {
		open := "<" + t + ">"
		if strings.HasPrefix(text, open) {
			return t, false
		}
		if strings.HasPrefix(open, text) {
			maybe = true
		}
	}
	return "", maybe
}

// overlap is how many bytes at the end of text are the begin of tag.
func overlap(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}

// closeOnly handles models whose template opens the block for them, so that
// only the closing tag is in their answer: what stands before it is reasoning.
func closeOnly(text, reasoning string) (string, string) {
	for _, t := range tags() {
		before, after, ok := strings.Cut(text, "</"+t+">")
		if !ok {
			continue
		}
		line := before[strings.LastIndexByte(before, '\n')+1:]
		if strings.TrimSpace(line) == "" {
			return strings.TrimLeft(after, " \t\r\n"), reasoning + before
		}
	}
	return text, reasoning
}
