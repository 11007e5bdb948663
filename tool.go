package writ

import (
	"context"
	"encoding/json"
	"strings"
)

// Effects is the set of what a tool can do to the world.
type Effects uint8

// The effects. EffectNone must be declared too: a tool without declared
// effects cannot be registered.
const (
	EffectNone Effects = 1 << iota
	EffectRead
	EffectWrite // stages a change; nothing writes the workspace directly
	EffectExec
	EffectNetwork
	EffectAsk // may put a question to a person
)

// Has reports whether all of the given effects are in the set.
func (e Effects) Has(want Effects) bool { return e&want == want }

// String lists the effects, for documents and events.
func (e Effects) String() string {
	var names []string
	for _, n := range []struct {
		e    Effects
		name string
	}{{EffectNone, "none"}, {EffectRead, "read"}, {EffectWrite, "write"}, {EffectExec, "exec"}, {EffectNetwork, "network"}, {EffectAsk, "ask"}} {
		if e.Has(n.e) {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, "+")
}

// ToolSpec declares a tool. Every field is required: a tool without effects,
// schema or guard cannot be registered.
type ToolSpec struct {
	Name        string
	Description string          // told to the model
	Schema      json.RawMessage // JSON Schema of the arguments, an object
	Effects     Effects
	Guard       Guard
}

// Guard judges one call before the tool runs. It returns nil, or an *Error
// that is told to the model; a code that the table marks as a denial is
// listed in the report. It is safe for concurrent use and has no effect.
type Guard interface {
	Judge(ctx context.Context, in Invocation) error
}

// Tool does one thing for a model. Call runs only after the arguments passed
// the schema and the guard. It is safe for concurrent use, returns an *Error
// for what the model can mend, and any other error ends the task as internal.
type Tool interface {
	Spec() ToolSpec
	Call(ctx context.Context, in Invocation) (any, error)
}

// Invocation is one call of a tool, with the guarded world it may touch.
type Invocation struct {
	Task      string
	Agent     string
	Step      string
	CallID    string
	Tool      string
	Args      json.RawMessage
	Workspace Workspace
}

// File is what a read gives: bytes with their hash, exactly as stored.
type File struct {
	Path    string
	Content []byte
	SHA256  string
	Mode    uint32 // permission bits
	Staged  bool   // the content is the task's own staged version
}

// Workspace is a task's guarded view of its files: reads fall through to the
// disk, writes are staged. Every path is judged in the contract's order; every
// error is an *Error. It is safe for concurrent use.
type Workspace interface {
	// Read returns the present content: staged if the task staged it, else the
	// workspace's. It counts as shown to the agent only through MarkShown.
	Read(ctx context.Context, path string) (File, error)
	// List returns, sorted, what git would list: tracked files and untracked
	// ones that are not ignored, with the staged changes laid over.
	List(ctx context.Context) ([]string, error)
	// Write stages content as the whole of path. base is the hash the content
	// was built on: the empty string demands that the file does not exist.
	Write(ctx context.Context, path string, content []byte, base string) (Change, error)
	// Delete stages the removal of path, whose present hash must be base.
	Delete(ctx context.Context, path, base string) (Change, error)
	// Move stages from's content under to; both must be in the lock set.
	Move(ctx context.Context, from, to string) ([]Change, error)
	// MarkShown records that the agent was shown the file with that hash, and
	// Shown returns the hash it was last shown, or the empty string.
	MarkShown(path, sha256 string)
	Shown(path string) string
	// Request asks to add a path to the lock set. It returns nil when granted.
	Request(ctx context.Context, path, reason string) error
	// RunCommand runs a declared command on the staged tree, in the sandbox.
	RunCommand(ctx context.Context, name string) (CommandResult, error)
}

// ToolResult is the standard answer of every tool, as the model sees it.
type ToolResult struct {
	OK    bool            `json:"ok"`
	Data  json.RawMessage `json:"-"` // merged into the object beside ok
	Error *ToolError      `json:"error,omitempty"`
}

// ToolError is the error half of a result.
type ToolError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}
