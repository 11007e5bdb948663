package file

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
	"github.com/writ-dev/writ/internal/tools/edit"
)

type writeArgs struct {
	Path    string `json:"path" jsonschema:"path of the file, relative to the workspace"`
	Content string `json:"content" jsonschema:"the complete new content"`
}

type editArgs struct {
	Path  string      `json:"path" jsonschema:"path of the file, relative to the workspace"`
	Edits []edit.Edit `json:"edits" jsonschema:"the replacements, in order"`
}

// changeResult tells a model what is staged now.
type changeResult struct {
	Path      string        `json:"path"`
	Op        writ.ChangeOp `json:"op"`
	Additions int           `json:"additions"`
	Deletions int           `json:"deletions"`
}

func write(ctx context.Context, in writ.Invocation, args writeArgs) (any, error) {
	f, err := in.Workspace.Read(ctx, args.Path)
	exists := err == nil
	if err != nil && writ.CodeOf(err) != writ.CodeFileNotFound {
		return nil, onlyIfWritable(ctx, in.Workspace, args.Path, err)
	}
	var content []byte
	if exists {
		content, err = overwrite(in.Workspace, f, args.Content)
	} else {
		content, err = edit.Create(args.Path, args.Content)
	}
	if err == nil {
		err = honest(args.Path, f.Content, content)
	}
	if err != nil {
		return nil, onlyIfWritable(ctx, in.Workspace, args.Path, err)
	}
	return stage(ctx, in.Workspace, args.Path, f, content, true)
}

// overwrite gives the bytes that replace an existing file, which the agent must
// know as it is now.
func overwrite(ws writ.Workspace, f writ.File, content string) ([]byte, error) {
	if _, err := edit.Decode(f.Path, f.Content); err != nil {
		return nil, err // it could never be shown
	}
	shown := ws.Shown(f.Path)
	if shown == "" {
		return nil, stale(f.Path, show.Line(f.Path)+" exists and its present content was not shown to you",
			"read_file all of it first, or change a part of it with edit_file")
	}
	if shown != f.SHA256 {
		return nil, changed(f.Path)
	}
	return edit.Rewrite(f.Path, f.Content, content)
}

func editFile(ctx context.Context, in writ.Invocation, args editArgs) (any, error) {
	f, err := in.Workspace.Read(ctx, args.Path)
	if err != nil {
		return nil, onlyIfWritable(ctx, in.Workspace, args.Path, err)
	}
	shown := in.Workspace.Shown(f.Path)
	if shown != "" && shown != f.SHA256 {
		return nil, onlyIfWritable(ctx, in.Workspace, args.Path, changed(f.Path))
	}
	content, err := edit.Apply(f.Path, f.Content, args.Edits)
	if err == nil {
		err = honest(f.Path, f.Content, content)
	}
	if err != nil {
		return nil, onlyIfWritable(ctx, in.Workspace, args.Path, err)
	}
	return stage(ctx, in.Workspace, args.Path, f, content, shown == f.SHA256)
}

// stage writes content on top of f, which is empty for a new file. known says
// that the agent knows all of the content.
func stage(ctx context.Context, ws writ.Workspace, path string, f writ.File, content []byte, known bool) (any, error) {
	change, err := ws.Write(ctx, path, content, f.SHA256)
	if err != nil {
		return nil, err
	}
	if known {
		ws.MarkShown(change.Path, hash(content))
	}
	return resultOf(change), nil
}

func resultOf(c writ.Change) changeResult {
	return changeResult{Path: c.Path, Op: c.Op, Additions: c.Additions, Deletions: c.Deletions}
}

// honest is [edit.Placeholder] as an error.
func honest(path string, old, content []byte) error {
	if refused := edit.Placeholder(path, old, content); refused != nil {
		return refused
	}
	return nil
}

// noHash is the hash of no content: nothing can be written on top of it.
const noHash = "-"

// onlyIfWritable keeps the contract's order: a path that may not be written is
// refused for that, whatever is wrong with the content. It asks for a write
// that cannot succeed, so that the workspace judges the path exactly as it
// would judge the real one, and changes nothing.
func onlyIfWritable(ctx context.Context, ws writ.Workspace, path string, content error) error {
	_, err := ws.Write(ctx, path, nil, noHash)
	var refused *writ.Error
	if errors.As(err, &refused) && writ.Lookup(refused.Code).Denial && refused.Code != writ.CodeStaleFile {
		return refused
	}
	return content
}

func changed(path string) *writ.Error {
	return stale(path, show.Line(path)+" changed on disk since you read it",
		"read_file it again and build on its present content")
}

func stale(path, msg, hint string) *writ.Error {
	return &writ.Error{Code: writ.CodeStaleFile, Path: path, Msg: msg, Hint: hint}
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
