package file

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/registry"
)

// The names of the tools, as the contract spells them.
const (
	ReadFile    = "read_file"
	ListFiles   = "list_files"
	SearchText  = "search_text"
	WriteFile   = "write_file"
	EditFile    = "edit_file"
	DeleteFile  = "delete_file"
	MoveFile    = "move_file"
	RequestFile = "request_file"
	RunCommand  = "run_command"
)

// Reading lists the tools of the reading roles.
func Reading() []string { return []string{ReadFile, ListFiles, SearchText} }

// Coding lists the tools of the Coder.
func Coding() []string {
	return append(Reading(), WriteFile, EditFile, DeleteFile, MoveFile, RequestFile, RunCommand)
}

//go:embed *.md
var descriptions embed.FS

// Tools returns all tools of the package, in the order of [Coding]. An error is
// a programmer's mistake.
func Tools() ([]writ.Tool, error) {
	var b builder
	add(&b, ReadFile, writ.EffectRead, read)
	add(&b, ListFiles, writ.EffectRead, list)
	add(&b, SearchText, writ.EffectRead, search)
	add(&b, WriteFile, writ.EffectRead|writ.EffectWrite, write)
	add(&b, EditFile, writ.EffectRead|writ.EffectWrite, editFile)
	add(&b, DeleteFile, writ.EffectRead|writ.EffectWrite, remove)
	add(&b, MoveFile, writ.EffectRead|writ.EffectWrite, move)
	add(&b, RequestFile, writ.EffectAsk, request)
	add(&b, RunCommand, writ.EffectExec, run)
	return b.tools, b.err
}

type builder struct {
	tools []writ.Tool
	err   error
}

func add[A any](b *builder, name string, effects writ.Effects, call func(context.Context, writ.Invocation, A) (any, error)) {
	description, err := descriptions.ReadFile(name + ".md")
	if err != nil {
		b.err = errors.Join(b.err, fmt.Errorf("describe tool: %w", err))
		return
	}
	tool, err := registry.NewTool(registry.Typed[A]{
		Name:        name,
		Description: string(description),
		Effects:     effects,
		Guard:       inWorkspace{},
		Call:        call,
	})
	if err != nil {
		b.err = errors.Join(b.err, err)
		return
	}
	b.tools = append(b.tools, tool)
}

// inWorkspace is the guard of tools that do everything through the workspace,
// which judges each path on its own. It refuses a call that has none.
type inWorkspace struct{}

var _ writ.Guard = inWorkspace{}

// Judge refuses a call without a workspace.
func (inWorkspace) Judge(_ context.Context, in writ.Invocation) error {
	if in.Workspace == nil {
		return &writ.Error{
			Code: writ.CodeToolDenied,
			Op:   in.Tool,
			Msg:  "this run has no workspace",
			Hint: "answer without files",
		}
	}
	return nil
}
