package edit

import "strings"

// The line ends.
const (
	lf   = "\n"
	crlf = "\r\n"
)

// LineEnds names the line ends of a text for a person: "LF", "CRLF", "mixed",
// or nothing where there is none.
func LineEnds(body string) string {
	both, pairs := strings.Count(body, lf), strings.Count(body, crlf)
	switch {
	case both == 0:
		return ""
	case pairs == 0:
		return "LF"
	case pairs == both:
		return "CRLF"
	default:
		return "mixed"
	}
}

// withEnds writes text with one kind of line end.
func withEnds(text, end string) string {
	text = strings.ReplaceAll(text, crlf, lf)
	if end == lf {
		return text
	}
	return strings.ReplaceAll(text, lf, end)
}

// endsFor says which line end new text takes that replaces body[start:end]:
// the file's own where it has one kind; in a mixed file that of the replaced
// lines, else of the line it stands in, else of the line before. It gives
// nothing for a file without any line end.
func endsFor(body string, start, end int) string {
	switch LineEnds(body) {
	case "":
		return ""
	case "LF":
		return lf
	case "CRLF":
		return crlf
	default:
	}
	if kind := LineEnds(body[start:end]); kind == "LF" {
		return lf
	} else if kind == "CRLF" {
		return crlf
	} else if kind == "mixed" {
		return ""
	}
	i := strings.Index(body[end:], lf)
	if i >= 0 {
		i += end
	} else {
		i = strings.LastIndex(body[:start], lf)
	}
	if i > 0 && body[i-1] == '\r' {
		return crlf
	}
	return lf
}
