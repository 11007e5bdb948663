package coder

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/loop"
)

// MaxFiles bounds the files of one generation.
const MaxFiles = 20

// batch is the answer of a model without tool calls.
type batch struct {
	Files        []batchFile `json:"files"`
	Summary      string      `json:"summary"`
	Dependencies []string    `json:"dependencies"`
	Notes        string      `json:"notes"`
}

type batchFile struct {
	Path        string `json:"path"`
	Content     string `json:"content"`
	Language    string `json:"language"`
	Description string `json:"description"`
}

// asFiles reads an answer that consists of whole files.
func asFiles(text string) (batch, bool) {
	var b batch
	raw := loop.JSONInText(text)
	if raw == nil || json.Unmarshal(raw, &b) != nil || len(b.Files) == 0 {
		return batch{}, false
	}
	return b, true
}

// writeBatch writes the files through the write tool, all or none: at the
// first refusal those already staged are taken back to what they were.
func writeBatch(ctx context.Context, runner *loop.Runner, spec writ.AgentSpec, in writ.AgentInput, b batch) error {
	if len(b.Files) > MaxFiles {
		return &writ.Error{Code: writ.CodeLimitReached, Msg: fmt.Sprintf("%s produced %d files, at most %d are allowed in one generation", spec.Name, len(b.Files), MaxFiles), Hint: "use another step"}
	}
	var done []former
	for i, f := range b.Files {
		args, err := json.Marshal(map[string]string{"path": f.Path, "content": f.Content})
		if err != nil {
			return fmt.Errorf("encode %s: %w", f.Path, err)
		}
		before, err := in.Workspace.Read(ctx, f.Path)
		existed := err == nil
		_, refused, err := runner.Invoke(ctx, spec, writ.Invocation{
			Task: in.Task.ID, Agent: spec.Name, Step: in.Step.ID, Tool: "write_file", Args: args, Workspace: in.Workspace,
			CallID: fmt.Sprintf("%d/batch/%d", in.Attempt, i),
		})
		if err != nil {
			return err
		}
		if refused != nil {
			if err := takeBack(ctx, in.Workspace, done); err != nil {
				return err
			}
			return &writ.Error{Code: writ.CodeSchemaInvalid, Path: f.Path, Msg: fmt.Sprintf("%s was refused (%s: %s), so no file of the answer was written", f.Path, refused.Code, refused.Error()), Err: refused}
		}
		done = append(done, former{path: f.Path, file: before, existed: existed})
	}
	return nil
}

// former is a file as it was before the batch touched it.
type former struct {
	path    string
	file    writ.File
	existed bool
}

// takeBack restores the files, the last one first.
func takeBack(ctx context.Context, ws writ.Workspace, done []former) error {
	for i := len(done) - 1; i >= 0; i-- {
		f := done[i]
		now, err := ws.Read(ctx, f.path)
		if err != nil {
			return fmt.Errorf("take %s back: %w", f.path, err)
		}
		if f.existed {
			_, err = ws.Write(ctx, f.path, f.file.Content, now.SHA256)
		} else {
			_, err = ws.Delete(ctx, f.path, now.SHA256)
		}
		if err != nil {
			return fmt.Errorf("take %s back: %w", f.path, err)
		}
	}
	return nil
}
