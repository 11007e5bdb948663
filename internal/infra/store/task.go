package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/writ-dev/writ"
)

// minPrefix is the shortest part of a task id that may stand for the whole.
const minPrefix = 8

// TaskFilter selects tasks. Workspace is an absolute path, or empty for all of
// them; a Limit of 0 means no limit.
type TaskFilter struct {
	Workspace string
	Limit     int
}

// Project returns the id of the project whose workspace is the given absolute
// path, and creates it at the first use. The id depends on the path alone, so
// it is the same in every store.
func (s *Store) Project(ctx context.Context, workspace string) (string, error) {
	var id string
	err := s.db.QueryRowContext(ctx, s.queries[qProjectOf], filepath.Clean(workspace)).Scan(&id)
	if err == nil {
		return id, nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return "", s.fault("find project", err)
	}
	err = s.Write(ctx, func(tx *Tx) error {
		id, err = tx.project(workspace)
		return err
	})
	return id, err
}

func (tx *Tx) project(workspace string) (string, error) {
	workspace = filepath.Clean(workspace)
	sum := sha256.Sum256([]byte(workspace))
	name := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16])
	id := "p_" + strings.ToLower(name)
	if _, err := tx.exec("add project", qProjectAdd, id, workspace, tx.s.now().UnixMilli()); err != nil {
		return "", err
	}
	if err := tx.row("find project", qProjectOf, []any{workspace}, &id); err != nil {
		return "", fmt.Errorf("find project: %w", err)
	}
	return id, nil
}

// CreateTask adds a task. It fills in the task's project where that is empty.
func (tx *Tx) CreateTask(t *writ.Task) error {
	if t.ProjectID == "" {
		id, err := tx.project(t.Workspace)
		if err != nil {
			return err
		}
		t.ProjectID = id
	}
	data, err := encode("add task", t)
	if err != nil {
		return err
	}
	_, err = tx.exec("add task", qTaskAdd, t.ID, t.ProjectID, filepath.Clean(t.Workspace), text(t.SessionID),
		string(t.State), string(t.Outcome), toMS(t.CreatedAt), tx.s.now().UnixMilli(), data)
	return err
}

// SaveTask writes a task back. A task that is DONE or CANCELLED in the store
// cannot be given another state, whoever still believes that it runs: that is
// a *writ.Error of code STATE_ILLEGAL.
func (tx *Tx) SaveTask(t *writ.Task) error {
	data, err := encode("save task", t)
	if err != nil {
		return err
	}
	n, err := tx.exec("save task", qTaskSave, t.ID, text(t.SessionID), string(t.State), string(t.Outcome),
		tx.s.now().UnixMilli(), data)
	if err != nil || n == 1 {
		return err
	}
	var state string
	switch err := tx.row("save task", qTaskState, []any{t.ID}, &state); {
	case errors.Is(err, sql.ErrNoRows):
		return noTask(t.ID)
	case err != nil:
		return err
	}
	return &writ.Error{Code: writ.CodeStateIllegal, Op: "save task", Msg: "task " + t.ID + " has ended already (" + state + ")"}
}

// Task returns a task by its id, or by the first eight or more characters of
// it where they name one task alone. Another id is a *writ.Error of code USAGE.
func (s *Store) Task(ctx context.Context, id string) (*writ.Task, error) {
	t := new(writ.Task)
	found, err := s.value(ctx, "read task", qTaskGet, t, text(id))
	if found || err != nil {
		return t, err
	}
	if len(id) < minPrefix {
		return nil, noTask(id)
	}
	like, err := list[*writ.Task](ctx, s, "read task", qTaskLike, text(id))
	switch {
	case err != nil:
		return nil, err
	case len(like) == 0:
		return nil, noTask(id)
	case len(like) > 1:
		return nil, &writ.Error{Code: writ.CodeUsage, Msg: fmt.Sprintf("%q begins the ids of several tasks", id), Hint: "write more of the id"}
	}
	return like[0], nil
}

// Tasks lists tasks, newest first.
func (s *Store) Tasks(ctx context.Context, f TaskFilter) ([]*writ.Task, error) {
	if f.Workspace == "" {
		return list[*writ.Task](ctx, s, "list tasks", qTaskList, limitOf(f.Limit))
	}
	return list[*writ.Task](ctx, s, "list tasks", qTaskListIn, filepath.Clean(f.Workspace), limitOf(f.Limit))
}

// LastTask is the newest task of a workspace, or nil.
func (s *Store) LastTask(ctx context.Context, workspace string) (*writ.Task, error) {
	tasks, err := s.Tasks(ctx, TaskFilter{Workspace: workspace, Limit: 1})
	if err != nil || len(tasks) == 0 {
		return nil, err
	}
	return tasks[0], nil
}

func noTask(id string) error {
	return &writ.Error{Code: writ.CodeUsage, Msg: fmt.Sprintf("no task %q", id), Hint: "writ task list shows the tasks"}
}
