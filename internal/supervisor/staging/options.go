package staging

import (
	"context"
	"errors"
	"io/fs"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// The default bounds of one file, in bytes.
const (
	DefaultMaxFile = 1 << 20 // what may be staged
	DefaultMaxRead = 4 << 20 // what may be read
)

// Disk is what reading a workspace takes; a *guard.Root is one. Paths are
// clean and relative. All errors that a person can mend are *writ.Error.
type Disk interface {
	Clean(path string) (string, error)
	Secret(rel string) bool
	Read(ctx context.Context, rel string, limit int64) (writ.File, error)
	Stat(rel string) (exists bool, mode fs.FileMode, isDir bool, link string, err error)
	Resolve(rel string) (string, error)
}

// Judge decides whether a path may be read or written, in the contract's
// order, and gives its clean form; a *guard.Guard is one.
type Judge interface {
	JudgeRead(path string) (string, error)
	JudgeWrite(path string) (string, error)
}

// Ledger records what happens to a task; a *journal.Task is one. Commit runs
// the functions and writes the events emitted before it in one transaction.
type Ledger interface {
	Emit(typ writ.EventType, agent string, data any)
	Commit(ctx context.Context, fns ...func(*store.Tx) error) error
}

// Store reads what was committed; a *store.Store is one.
type Store interface {
	Blob(ctx context.Context, sha256 string) ([]byte, error)
	Changes(ctx context.Context, taskID string) ([]writ.Change, error)
}

// Options are the parts and bounds of an [Overlay].
type Options struct {
	Task   string // the task's id
	Root   Disk
	Guard  Judge
	Ledger Ledger
	Store  Store
	// Syntax is the gate before staging; it must not be nil.
	Syntax func(ctx context.Context, path string, content []byte) writ.Syntax
	// List gives what git would list, sorted or not; it must not be nil.
	List func(ctx context.Context) ([]string, error)
	// Extend asks for a path to join the lock set; nil refuses every request.
	Extend func(ctx context.Context, agent, step, path, reason string) error
	// Command runs a declared command on the staged tree; nil knows no command.
	Command func(ctx context.Context, agent, name string) (writ.CommandResult, error)
	MaxFile int64 // bytes that one staged file may have; 0 is DefaultMaxFile
	MaxRead int64 // bytes that one file may have to be read; 0 is DefaultMaxRead
}

// complete checks the options and fills in the defaults.
func (o Options) complete() (Options, error) {
	switch {
	case o.Task == "":
		return o, errors.New("staging: Options.Task is empty")
	case o.Root == nil:
		return o, errors.New("staging: Options.Root is nil")
	case o.Guard == nil:
		return o, errors.New("staging: Options.Guard is nil")
	case o.Ledger == nil:
		return o, errors.New("staging: Options.Ledger is nil")
	case o.Store == nil:
		return o, errors.New("staging: Options.Store is nil")
	case o.Syntax == nil:
		return o, errors.New("staging: Options.Syntax is nil")
	case o.List == nil:
		return o, errors.New("staging: Options.List is nil")
	}
	if o.MaxFile <= 0 {
		o.MaxFile = DefaultMaxFile
	}
	if o.MaxRead <= 0 {
		o.MaxRead = DefaultMaxRead
	}
	return o, nil
}
