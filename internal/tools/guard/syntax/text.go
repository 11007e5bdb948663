package syntax

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"
	"unicode/utf8"

	"github.com/writ-dev/writ"
)

// screen judges the bytes of a file before any parser sees them. It reports
// done where its verdict stands.
func screen(kind string, content []byte, maxBytes int64, maxDepth int) (v writ.Syntax, done bool) {
	if int64(len(content)) > maxBytes {
		return unknown("the file is larger than %d bytes", maxBytes), true
	}
	if v, done := screenEncoding(kind, content); done {
		return v, true
	}
	if line := deeper(content, maxDepth); line > 0 {
		v := unknown("the brackets are nested more than %d deep", maxDepth)
		v.Line = line
		return v, true
	}
	return writ.Syntax{}, false
}

func screenEncoding(kind string, content []byte) (writ.Syntax, bool) {
	if bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")) {
		switch kind {
		case kindJSON, kindJSONC, kindYAML, kindTOML:
			return unknown("the file is UTF-16, which no checker reads here"), true
		}
		return invalid(1, 1, "the file is UTF-16; source must be UTF-8"), true
	}
	if at := bytes.IndexByte(content, 0); at >= 0 {
		line, column := place(content, at)
		return invalid(line, column, "the file holds a NUL character"), true
	}
	if utf8.Valid(content) || (kind == kindPython && declaresEncoding(content)) {
		return writ.Syntax{}, false
	}
	line, column := place(content, firstInvalid(content))
	return invalid(line, column, "the file is not UTF-8"), true
}

// pythonCookie is PEP 263's own expression.
var pythonCookie = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*[-_.a-zA-Z0-9]+`)
})

// declaresEncoding reports whether one of a Python file's first two lines
// names its encoding; the interpreter then judges the bytes.
func declaresEncoding(content []byte) bool {
	for _, line := range bytes.SplitN(content, []byte("\n"), 3)[:min(2, 1+bytes.Count(content, []byte("\n")))] {
		if pythonCookie().Match(line) {
			return true
		}
	}
	return false
}

func firstInvalid(content []byte) int {
	for at := 0; at < len(content); {
		r, size := utf8.DecodeRune(content[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return len(content)
}

// deeper returns the line at which more brackets are open than allowed, or 0.
// It counts those in strings and comments too: it is a bound, not a parser.
func deeper(content []byte, limit int) int {
	depth, line := 0, 1
	for _, c := range content {
		switch c {
		case '\n':
			line++
		case '(', '[', '{':
			if depth++; depth > limit {
				return line
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return 0
}

// place is the line and the column, in bytes, of an offset; both from 1.
func place(content []byte, at int) (line, column int) {
	at = min(max(at, 0), len(content))
	before := content[:at]
	return 1 + bytes.Count(before, []byte("\n")), at - bytes.LastIndexByte(before, '\n')
}

func valid(checker string) writ.Syntax {
	return writ.Syntax{Verdict: writ.VerdictValid, Checker: checker}
}

func invalid(line, column int, message string) writ.Syntax {
	return writ.Syntax{Verdict: writ.VerdictInvalid, Line: line, Column: column, Message: oneLine(message)}
}

func unknown(format string, args ...any) writ.Syntax {
	return writ.Syntax{Verdict: writ.VerdictUnknown, Message: oneLine(fmt.Sprintf(format, args...))}
}

// oneLine keeps a parser's message to one line of bounded length.
func oneLine(s string) string {
	const limit = 300
	if at := bytes.IndexAny([]byte(s), "\r\n"); at >= 0 {
		s = s[:at]
	}
	if len(s) > limit {
		s = s[:limit] + "…"
	}
	return string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD")))
}
