package file

import (
	"context"

	"github.com/writ-dev/writ"
)

type pathArgs struct {
	Path string `json:"path" jsonschema:"path of the file, relative to the workspace"`
}

type moveArgs struct {
	From string `json:"from" jsonschema:"present path of the file"`
	To   string `json:"to" jsonschema:"new path of the file"`
}

type moveResult struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func remove(ctx context.Context, in writ.Invocation, args pathArgs) (any, error) {
	f, err := unchanged(ctx, in.Workspace, args.Path)
	if err != nil {
		return nil, err
	}
	change, err := in.Workspace.Delete(ctx, args.Path, f.SHA256)
	if err != nil {
		return nil, err
	}
	return resultOf(change), nil
}

// move lets what was shown under the old name count as shown under the new.
func move(ctx context.Context, in writ.Invocation, args moveArgs) (any, error) {
	f, err := unchanged(ctx, in.Workspace, args.From)
	if err != nil {
		return nil, err
	}
	if _, err := in.Workspace.Move(ctx, args.From, args.To); err != nil {
		return nil, err
	}
	if in.Workspace.Shown(f.Path) == f.SHA256 {
		in.Workspace.MarkShown(args.To, f.SHA256)
	}
	return moveResult{From: f.Path, To: args.To}, nil
}

// unchanged reads a file that is to go away. It need not have been shown, but
// if it was, it must still be what was shown.
func unchanged(ctx context.Context, ws writ.Workspace, path string) (writ.File, error) {
	f, err := ws.Read(ctx, path)
	if err == nil {
		if shown := ws.Shown(f.Path); shown != "" && shown != f.SHA256 {
			err = changed(f.Path)
		}
	}
	if err != nil {
		return writ.File{}, onlyIfWritable(ctx, ws, path, err)
	}
	return f, nil
}
