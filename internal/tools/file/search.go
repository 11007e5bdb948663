package file

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
	"github.com/writ-dev/writ/internal/tools/edit"
)

// The bounds of a search. maxPattern bounds the pattern before it is compiled;
// matching is linear in the text whatever the pattern says.
const (
	maxHits       = 200
	maxHitLine    = 300
	maxPattern    = 1000
	maxSearchFile = 1 << 20  // larger files are skipped
	maxSearched   = 64 << 20 // of all files together
)

type searchArgs struct {
	Pattern string `json:"pattern" jsonschema:"regular expression in RE2 syntax"`
	Glob    string `json:"glob,omitempty" jsonschema:"pattern that the files must match"`
}

// searchResult lists hits as path:line:text. Total counts those that are not
// listed too.
type searchResult struct {
	Note    string         `json:"note,omitempty"`
	Total   int            `json:"total"`
	Files   int            `json:"files_searched"`
	Skipped map[string]int `json:"files_skipped,omitempty"` // by reason
	Hits    []string       `json:"hits"`

	size int
}

func search(ctx context.Context, in writ.Invocation, args searchArgs) (any, error) {
	pattern, err := compile(args.Pattern)
	if err != nil {
		return nil, err
	}
	match, err := newMatcher(args.Glob)
	if err != nil {
		return nil, err
	}
	all, err := in.Workspace.List(ctx)
	if err != nil {
		return nil, err
	}
	result := searchResult{Hits: []string{}, Skipped: make(map[string]int)}
	for _, name := range all {
		if !match(name) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		if err := result.searchFile(ctx, in.Workspace, name, pattern); err != nil {
			return nil, err
		}
	}
	if shown := len(result.Hits); shown < result.Total {
		result.Note = fmt.Sprintf("truncated: %d of %d hits; make the pattern or the glob narrower", shown, result.Total)
	}
	return result, nil
}

func compile(pattern string) (*regexp.Regexp, error) {
	why := ""
	switch {
	case pattern == "":
		why = "is empty"
	case len(pattern) > maxPattern:
		why = fmt.Sprintf("is longer than %d bytes", maxPattern)
	default:
		compiled, err := regexp.Compile(pattern)
		if err == nil {
			return compiled, nil
		}
		why = show.Line(err.Error())
	}
	return nil, &writ.Error{
		Code: writ.CodeSchemaInvalid, Op: SearchText, Msg: "pattern: " + why,
		Hint: `send a regular expression in RE2 syntax, without look-around and back references; a backslash in front takes a sign literally`,
	}
}

// searchFile adds the hits in one file. A file that cannot be shown is counted
// and passed over: the listing named it, nobody asked for it.
func (r *searchResult) searchFile(ctx context.Context, ws writ.Workspace, name string, pattern *regexp.Regexp) error {
	if r.size >= maxSearched {
		r.Skipped["over the limit of this search"]++
		return nil
	}
	f, err := ws.Read(ctx, name)
	var refused *writ.Error
	switch {
	case errors.As(err, &refused) && refused.Code != writ.CodeInternal && refused.Code != writ.CodeCancelled:
		r.Skipped["unreadable"]++
		return nil
	case err != nil:
		return err
	case len(f.Content) > maxSearchFile:
		r.Skipped["large"]++
		return nil
	default:
	}
	text, err := edit.Decode(f.Path, f.Content)
	if err != nil {
		r.Skipped["binary"]++
		return nil
	}
	r.Files++
	r.size += len(f.Content)
	r.searchText(name, text.Body, pattern)
	return nil
}

func (r *searchResult) searchText(name, body string, pattern *regexp.Regexp) {
	if body == "" {
		return
	}
	number := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(body, "\n"), "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		place := pattern.FindStringIndex(line)
		if place == nil {
			continue
		}
		if r.Total++; len(r.Hits) < maxHits {
			r.Hits = append(r.Hits, fmt.Sprintf("%s:%d:%s", show.Line(name), number, around(line, place)))
		}
	}
}

// around cuts a long line to the part that holds the match.
func around(line string, place []int) string {
	if len(line) <= maxHitLine {
		return line
	}
	from := max(0, min(place[0]-maxHitLine/4, len(line)-maxHitLine))
	part := strings.ToValidUTF8(line[from:min(from+maxHitLine, len(line))], "")
	if from > 0 {
		part = "…" + part
	}
	return part + "…"
}
