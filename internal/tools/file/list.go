package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
)

// The bounds of a listing.
const (
	maxFiles     = 1000
	maxFileBytes = 32 << 10
)

type listArgs struct {
	Path string `json:"path,omitempty" jsonschema:"folder to list; all of the workspace without it"`
	Glob string `json:"glob,omitempty" jsonschema:"pattern that the files must match"`
}

type listResult struct {
	Note  string   `json:"note,omitempty"`
	Total int      `json:"total"`
	Files []string `json:"files"`
}

func list(ctx context.Context, in writ.Invocation, args listArgs) (any, error) {
	match, err := newMatcher(args.Glob)
	if err != nil {
		return nil, err
	}
	all, err := in.Workspace.List(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := folder(ctx, in.Workspace, all, args.Path)
	if err != nil {
		return nil, err
	}
	result := listResult{Files: []string{}}
	size := 0
	for _, name := range beneath(all, dir) {
		if !match(name) && !match(strings.TrimPrefix(name, dir+"/")) {
			continue
		}
		result.Total++
		if size += len(name) + 3; len(result.Files) < maxFiles && size <= maxFileBytes {
			result.Files = append(result.Files, name)
		}
	}
	if shown := len(result.Files); shown < result.Total {
		result.Note = fmt.Sprintf("truncated: %d of %d files; give a path or a glob", shown, result.Total)
	}
	return result, nil
}

// folder turns a path argument into a clean folder ("" for the workspace). A
// folder without listed files is looked at by reading it, so that the
// workspace refuses a path that leads outside, and gives the relative form of
// an absolute one.
func folder(ctx context.Context, ws writ.Workspace, all []string, given string) (string, error) {
	if given == "" || path.Clean(given) == "." {
		return "", nil
	}
	dir := path.Clean(given)
	if len(beneath(all, dir)) > 0 {
		return dir, nil
	}
	_, err := ws.Read(ctx, given)
	var refused *writ.Error
	if err != nil && !errors.As(err, &refused) {
		return "", err
	}
	if refused != nil && refused.Path == "." {
		return "", nil
	}
	if refused != nil && refused.Code == writ.CodePathInvalid && fs.ValidPath(refused.Path) && len(beneath(all, refused.Path)) > 0 {
		return refused.Path, nil
	}
	if refused != nil && (refused.Code != writ.CodePathInvalid || !fs.ValidPath(dir) || strings.Contains(dir, `\`)) {
		return "", refused
	}
	return "", &writ.Error{
		Code: writ.CodeFileNotFound, Op: ListFiles, Path: given,
		Msg:  "no listed file is in " + show.Line(given),
		Hint: "ignored files are not listed; list_files without a path shows all",
	}
}

// beneath gives the files in a folder, and the file itself if dir names one.
// The listing is sorted, but "a.go" stands between "a" and "a/b".
func beneath(all []string, dir string) []string {
	if dir == "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return name != dir && !strings.HasPrefix(name, dir+"/")
	})
}
