package edit

import (
	"strings"
	"unicode/utf8"

	"github.com/writ-dev/writ"
)

// Rewrite gives the bytes of a whole new content for a file that exists: with
// the byte order mark and the encoding of the old content, and with its line
// ends where all of these are alike. Content that comes out as what is there
// already is EDIT_NOT_FOUND, characters that the encoding lacks are
// SCHEMA_INVALID, and content with a NUL byte and a file that is no text are
// BINARY_FILE.
func Rewrite(path string, old []byte, content string) ([]byte, error) {
	text, err := Decode(path, old)
	if err != nil {
		return nil, err
	}
	if err := plainText(path, "the content", content); err != nil {
		return nil, err
	}
	content = withoutBOM(content)
	switch LineEnds(text.Body) {
	case "LF":
		content = withEnds(content, lf)
	case "CRLF":
		content = withEnds(content, crlf)
	default:
	}
	if content == text.Body {
		return nil, unchanged(path)
	}
	if err := storable(path, text, content); err != nil {
		return nil, err
	}
	return text.Encode(content)
}

// Create gives the bytes of a new file: the content as it is.
func Create(path, content string) ([]byte, error) {
	if err := plainText(path, "the content", content); err != nil {
		return nil, err
	}
	return []byte(content), nil
}

// plainText refuses what cannot be text of a file, in any encoding.
func plainText(path, what, content string) error {
	if strings.ContainsRune(content, 0) {
		return refuse(writ.CodeBinaryFile, path, what+" holds a NUL byte, which no text has", "")
	}
	if !utf8.ValidString(content) {
		return refuse(writ.CodeSchemaInvalid, path, what+" is not valid UTF-8", "")
	}
	return nil
}
