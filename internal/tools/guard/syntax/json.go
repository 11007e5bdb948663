package syntax

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/writ-dev/writ"
)

const checkerJSON = "encoding/json"

// checkJSON reads exactly one JSON value. A byte order mark is let pass, as
// the readers of the files that have one do.
func checkJSON(content []byte, comments bool) writ.Syntax {
	body := bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	skipped := len(content) - len(body)
	if comments {
		body = blankComments(body)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	var value json.RawMessage
	err := dec.Decode(&value)
	if err == nil {
		if at := int(dec.InputOffset()); len(bytes.TrimSpace(body[at:])) > 0 {
			at += len(body[at:]) - len(bytes.TrimLeft(body[at:], " \t\r\n"))
			return invalidJSON(content, skipped+at, "there is more text after the value")
		}
		return valid(checkerJSON)
	}
	var syn *json.SyntaxError
	switch {
	case errors.As(err, &syn):
		return invalidJSON(content, skipped+int(syn.Offset)-1, syn.Error())
	case errors.Is(err, io.EOF):
		return invalidJSON(content, len(content), "the file holds no JSON value")
	default:
		return invalidJSON(content, len(content), "the JSON value is not finished")
	}
}

func invalidJSON(content []byte, at int, message string) writ.Syntax {
	line, column := place(content, at)
	v := invalid(line, column, message)
	v.Checker = checkerJSON
	return v
}

// blankComments overwrites comments and trailing commas with blanks, so that
// offsets stay. An open comment is left, for the parser to refuse.
func blankComments(content []byte) []byte {
	out := bytes.Clone(content)
	comma := -1 // a comma with nothing but blanks and comments after it
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			i = stringEnd(out, i)
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			for j := i; j < end; j++ {
				if out[j] != '\n' {
					out[j] = ' '
				}
			}
			i = max(i, end-1)
		case c == ',':
			comma = i
		case c == ']' || c == '}':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
	}
	return out
}

// stringEnd is the offset of a string's closing quote, or the last offset.
func stringEnd(b []byte, start int) int {
	for i := start + 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(b) - 1
}

// commentEnd is the offset after a comment; an unfinished one ends where it
// began.
func commentEnd(b []byte, start int) int {
	if b[start+1] == '/' {
		if n := bytes.IndexByte(b[start:], '\n'); n >= 0 {
			return start + n
		}
		return len(b)
	}
	if n := bytes.Index(b[start+2:], []byte("*/")); n >= 0 {
		return start + 2 + n + 2
	}
	return start
}
