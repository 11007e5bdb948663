package file

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
	"github.com/writ-dev/writ/internal/tools/edit"
)

// maxRead is how many bytes of a file one call shows.
const maxRead = 64 << 10

type readArgs struct {
	Path   string `json:"path" jsonschema:"path of the file, relative to the workspace"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line to read, counted from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many lines to read"`
}

// readResult is a piece of a file. Content is exact, so that edits can be
// copied from it; a byte order mark is left out and kept by writes.
type readResult struct {
	Path       string `json:"path"`
	FirstLine  int    `json:"first_line"`
	LastLine   int    `json:"last_line"`
	TotalLines int    `json:"total_lines"`
	LineEnds   string `json:"line_ends,omitempty"` // CRLF or mixed; LF is not worth a word
	Encoding   string `json:"encoding,omitempty"`  // other than UTF-8
	BOM        bool   `json:"bom,omitempty"`
	SHA256     string `json:"sha256"` // of the whole file
	Note       string `json:"note,omitempty"`
	Content    string `json:"content"`
}

// MaxText lets a whole read through the registry.
func (readResult) MaxText() int { return maxRead + utf8.UTFMax }

func read(ctx context.Context, in writ.Invocation, args readArgs) (any, error) {
	if args.Offset < 0 || args.Limit < 0 {
		return nil, &writ.Error{Code: writ.CodeSchemaInvalid, Op: ReadFile, Msg: "offset and limit must not be negative"}
	}
	f, err := in.Workspace.Read(ctx, args.Path)
	if err != nil {
		return nil, err
	}
	text, err := edit.Decode(f.Path, f.Content)
	if err != nil {
		return nil, err
	}
	result := readResult{Path: f.Path, SHA256: f.SHA256, BOM: text.BOM}
	if ends := edit.LineEnds(text.Body); ends != "LF" {
		result.LineEnds = ends
	}
	if text.Encoding != edit.UTF8 {
		result.Encoding = string(text.Encoding)
	}
	if err := result.take(text.Body, max(args.Offset, 1), args.Limit); err != nil {
		return nil, err
	}
	markRead(in.Workspace, f, len(result.Content) == len(text.Body))
	return result, nil
}

// markRead records a whole reading. A part takes back that an older version was
// shown: the agent now builds on the present one, of which it knows only a
// part.
func markRead(ws writ.Workspace, f writ.File, whole bool) {
	switch shown := ws.Shown(f.Path); {
	case whole:
		ws.MarkShown(f.Path, f.SHA256)
	case shown != "" && shown != f.SHA256:
		ws.MarkShown(f.Path, "")
	default:
	}
}

// take cuts lines from offset on out of a text, at most limit of them (0: all)
// and at most maxRead bytes.
func (r *readResult) take(body string, offset, limit int) error {
	lines := strings.SplitAfter(body, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	r.TotalLines = len(lines)
	if offset > max(len(lines), 1) {
		return &writ.Error{
			Code: writ.CodeSchemaInvalid, Op: ReadFile, Path: r.Path,
			Msg: fmt.Sprintf("offset %d is behind the end: %s has %d lines", offset, show.Line(r.Path), len(lines)),
		}
	}
	lines = lines[min(offset-1, len(lines)):]
	if limit > 0 {
		lines = lines[:min(limit, len(lines))]
	}
	var b strings.Builder
	taken := 0
	for _, line := range lines {
		if b.Len()+len(line) > maxRead {
			break
		}
		b.WriteString(line)
		taken++
	}
	if taken == 0 && len(lines) > 0 {
		b.WriteString(head(lines[0], maxRead))
		r.Note = fmt.Sprintf("truncated: %d of %d bytes of line %d; a line this long can only be changed with edit_file", b.Len(), len(lines[0]), offset)
		taken = 1
	} else if taken < len(lines) {
		r.Note = fmt.Sprintf("truncated: lines %d to %d of %d; read on with offset %d", offset, offset+taken-1, r.TotalLines, offset+taken)
	}
	r.FirstLine, r.LastLine, r.Content = offset, offset+taken-1, b.String()
	return nil
}

// head cuts a text at a character's boundary.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
