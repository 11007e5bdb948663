package store

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/writ-dev/writ"
)

// Lock is one file that a task may write and no other.
type Lock struct {
	Workspace string
	Path      string
	TaskID    string
	TakenAt   time.Time
}

// LockedError says which task holds a path that another one asked for. It is
// the cause of the *writ.Error that LockPaths returns.
type LockedError struct {
	Path   string // the path asked for
	TaskID string // the task that holds it, or a folder above or a file below it
}

// Error names the path and its holder.
func (e *LockedError) Error() string { return e.Path + " is locked by task " + e.TaskID }

// LockPaths adds the paths, which are relative to the workspace, to the files
// that the task alone may write: all of them or none. A path that another task
// holds, under any spelling, from any workspace, or as a folder above or a
// file below it, is a *writ.Error of code FILE_NOT_LOCKED with a *LockedError
// inside.
//
// The locks of an ended task, and of one whose lease ran out, hinder nobody:
// the process that held them is gone. A task that goes on after its lease ran
// out must lock its paths again.
func (tx *Tx) LockPaths(taskID, workspace string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	// Two tasks that ask at once for a and a/b would not meet at any row.
	var turn int64
	if err := tx.row("take turn", qTurnTake, []any{"lock"}, &turn); err != nil {
		return fmt.Errorf("take turn: %w", err)
	}
	now := tx.s.now()
	held, err := tx.heldByOthers(taskID, now)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if holder := held.overlap(lockKey(workspace, p)); holder != "" {
			cause := &LockedError{Path: p, TaskID: holder}
			return &writ.Error{Code: writ.CodeFileNotLocked, Op: "lock files", Path: p, Msg: cause.Error(),
				Hint: "wait until that task has ended, or cancel it", Err: cause}
		}
	}
	for _, p := range paths {
		if _, err := tx.exec("lock files", qLockPut, lockKey(workspace, p), taskID, text(workspace), text(p), toMS(now)); err != nil {
			return err
		}
	}
	return nil
}

// UnlockPaths releases all locks of a task; none is no error.
func (tx *Tx) UnlockPaths(taskID string) error {
	_, err := tx.exec("unlock files", qLockDrop, taskID)
	return err
}

// Locks returns every lock that is taken, in the order of the paths.
func (s *Store) Locks(ctx context.Context) ([]Lock, error) {
	out := []Lock{}
	err := s.each(ctx, "read locks", qLockList, nil, func(scan func(...any) error) error {
		var l Lock
		var at int64
		if err := scan(&l.Workspace, &l.Path, &l.TaskID, &at); err != nil {
			return err
		}
		l.TakenAt = fromMS(at)
		out = append(out, l)
		return nil
	})
	return out, err
}

// held maps what may not be locked to its holder: files holds the locked
// files, folders everything above one of them.
type held struct{ files, folders map[string]string }

func (tx *Tx) heldByOthers(taskID string, now time.Time) (held, error) {
	h := held{files: map[string]string{}, folders: map[string]string{}}
	err := eachRow(tx.ctx, tx.tx, tx.s.queries[qLockOthers], []any{taskID, toMS(now)}, func(scan func(...any) error) error {
		var key, path, holder string
		if err := scan(&key, &path, &holder); err != nil {
			return err
		}
		h.files[key] = holder
		for up := parent(key); up != ""; up = parent(up) {
			h.folders[up] = holder
		}
		return nil
	})
	if err != nil {
		return held{}, tx.fail("read locks", err)
	}
	return h, nil
}

// overlap names the holder of key, of a file below it or of one above it.
func (h held) overlap(key string) string {
	if holder := h.folders[key]; holder != "" {
		return holder
	}
	for at := key; at != ""; at = parent(at) {
		if holder := h.files[at]; holder != "" {
			return holder
		}
	}
	return ""
}

// lockKey is the absolute path in one spelling, so that names which are one
// file on some file system are one lock on all of them.
func lockKey(workspace, path string) string {
	abs := filepath.ToSlash(filepath.Join(workspace, filepath.FromSlash(path)))
	return text(strings.ToLower(norm.NFC.String(abs)))
}

func parent(key string) string {
	i := strings.LastIndexByte(key, '/')
	if i <= 0 {
		return ""
	}
	return key[:i]
}
