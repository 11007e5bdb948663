package edit

import (
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
)

// MaxResult bounds the size of an edited text, so that replacing a frequent
// text by a long one cannot fill the memory. It is far over what a workspace
// takes.
const MaxResult = 16 << 20

// Edit is one replacement.
type Edit struct {
	Old        string `json:"old" jsonschema:"the text to replace, exactly as read_file shows it; it must stand in the file exactly once"`
	New        string `json:"new" jsonschema:"the text to put in its place"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every place where old stands"`
}

// Apply carries out edits in order, each on the text that the one before left,
// and returns the new content of the file. Either all are carried out or none.
// Every error is a [*writ.Error] that names the edit by its number.
func Apply(path string, content []byte, edits []Edit) ([]byte, error) {
	if len(edits) == 0 {
		return nil, refuse(writ.CodeSchemaInvalid, path, "edits is empty: give at least one", "")
	}
	text, err := Decode(path, content)
	if err != nil {
		return nil, err
	}
	body := text.Body
	for i, e := range edits {
		e.Old, e.New = withoutBOM(e.Old), withoutBOM(e.New)
		next, err := one(path, body, e)
		if err == nil {
			err = storable(path, text, e.New)
		}
		if err != nil {
			return nil, numbered(err, i, len(edits))
		}
		body = next
	}
	if body == text.Body {
		return nil, unchanged(path)
	}
	return text.Encode(body)
}

// one carries out a single edit.
func one(path, body string, e Edit) (string, error) {
	if e.Old == "" {
		return "", refuse(writ.CodeEditNotFound, path,
			"old is empty: nothing to match", "copy the text to replace from the file; write_file creates a file")
	}
	if err := plainText(path, "new", e.New); err != nil {
		return "", err
	}
	places := find(body, e.Old, e.ReplaceAll)
	if len(places) == 0 {
		return "", notFound(path, body, e.Old)
	}
	if len(places) > 1 && !e.ReplaceAll {
		return "", ambiguous(path, body, places)
	}
	if size := len(body) + len(places)*(2*len(e.New)-len(e.Old)); size > MaxResult {
		return "", refuse(writ.CodeTooLarge, path, fmt.Sprintf("the result would have about %d bytes", size), "")
	}
	next := replace(body, e.New, places)
	if next == body {
		return "", refuse(writ.CodeEditNotFound, path,
			"nothing changed: new says the same as old", "send the text as it shall be, or leave the edit out")
	}
	return next, nil
}

// replace puts text in the places, which are in order and apart from each
// other, each with the line ends that belong there.
func replace(body, text string, places []place) string {
	var b strings.Builder
	at := 0
	for _, p := range places {
		b.WriteString(body[at:p.start])
		if end := endsFor(body, p.start, p.end); end != "" {
			b.WriteString(withEnds(text, end))
		} else {
			b.WriteString(text)
		}
		at = p.end
	}
	b.WriteString(body[at:])
	return b.String()
}

func storable(path string, text Text, added string) error {
	if err := text.takes(added); err != nil {
		return refuse(writ.CodeSchemaInvalid, path, err.Error(),
			"use only characters that this encoding has; the encoding of a file is never changed")
	}
	return nil
}

// withoutBOM drops a mark that a model copied: it belongs to the file's
// storage and is kept there.
func withoutBOM(text string) string { return strings.TrimPrefix(text, "\ufeff") }

func unchanged(path string) *writ.Error {
	return refuse(writ.CodeEditNotFound, path,
		"nothing changed: "+show.Line(path)+" already has exactly this content",
		"if the file is as it should be, leave it alone")
}

func numbered(err error, i, of int) error {
	e, ok := err.(*writ.Error) //nolint:errorlint // made by this package, never wrapped
	if !ok || of == 1 {
		return err
	}
	e.Msg = fmt.Sprintf("edit %d of %d: %s; no edit was carried out", i+1, of, e.Msg)
	return e
}

func refuse(code writ.Code, path, msg, hint string) *writ.Error {
	return &writ.Error{Code: code, Path: path, Msg: msg, Hint: hint}
}
