package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/writ-dev/writ"
)

// The kinds of an apply.
const (
	KindApply = "apply"
	KindUndo  = "undo"
)

// The statuses of an apply.
const (
	ApplyBegun      = "begun"
	ApplyDone       = "done"
	ApplyRolledBack = "rolled_back"
)

// Apply is the journal of one application of staged changes to the workspace,
// or of its undoing. It is committed as begun before the first file is
// touched, so that a process that finds it so knows what may be half done.
type Apply struct {
	ID        int64 // assigned by BeginApply
	TaskID    string
	Workspace string
	Kind      string // KindApply or KindUndo
	Status    string // ApplyBegun, ApplyDone or ApplyRolledBack
	Entries   []ApplyEntry
}

// ApplyEntry is one file of an apply: what was there, what shall be there, and
// whether it is. An absent file has an empty hash.
type ApplyEntry struct {
	Path         string        `json:"path"`
	Op           writ.ChangeOp `json:"op"`
	BeforeSHA256 string        `json:"before_sha256"`
	AfterSHA256  string        `json:"after_sha256"`
	BeforeMode   fs.FileMode   `json:"before_mode"`
	AfterMode    fs.FileMode   `json:"after_mode"`
	Done         bool          `json:"done"`
}

// BeginApply adds an apply with status begun and assigns its ID.
func (tx *Tx) BeginApply(a *Apply) error {
	a.Status = ApplyBegun
	entries, err := encode("begin apply", a.Entries)
	if err != nil {
		return err
	}
	err = tx.row("begin apply", qApplyAdd, []any{a.TaskID, text(a.Workspace), a.Kind, a.Status, tx.s.now().UnixMilli(), entries}, &a.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return noTask(a.TaskID)
	}
	return err
}

// SaveApply writes an apply's status and entries back.
func (tx *Tx) SaveApply(a *Apply) error {
	entries, err := encode("save apply", a.Entries)
	if err != nil {
		return err
	}
	n, err := tx.exec("save apply", qApplySave, a.ID, a.Status, tx.s.now().UnixMilli(), entries)
	if err == nil && n != 1 {
		return fmt.Errorf("save apply: no apply %d", a.ID)
	}
	return err
}

// Applies returns the applies that were begun and not ended, oldest first:
// those of running processes, and those that a kill left behind.
func (s *Store) Applies(ctx context.Context) ([]Apply, error) {
	out := []Apply{}
	err := s.each(ctx, "read applies", qApplyOpen, nil, func(scan func(...any) error) error {
		var a Apply
		var entries string
		if err := scan(&a.ID, &a.TaskID, &a.Workspace, &a.Kind, &a.Status, &entries); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(entries), &a.Entries); err != nil {
			return fmt.Errorf("the stored row cannot be read: %w", err)
		}
		out = append(out, a)
		return nil
	})
	return out, err
}
