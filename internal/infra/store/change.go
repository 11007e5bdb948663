package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/writ-dev/writ"
)

// PutChange writes a task's change to a path over the one that is there.
func (tx *Tx) PutChange(taskID string, c writ.Change) error {
	data, err := encode("put change", c)
	if err != nil {
		return err
	}
	_, err = tx.exec("put change", qChangePut, taskID, text(c.Path), string(c.Status), data)
	return err
}

// DropChange removes a task's change to a path; none is no error.
func (tx *Tx) DropChange(taskID, path string) error {
	_, err := tx.exec("drop change", qChangeDrop, taskID, text(path))
	return err
}

// Changes returns a task's changes, sorted by path.
func (s *Store) Changes(ctx context.Context, taskID string) ([]writ.Change, error) {
	out, err := list[writ.Change](ctx, s, "read changes", qChangeList, taskID)
	// Databases sort text in their own ways; the report is byte order.
	slices.SortFunc(out, func(a, b writ.Change) int { return cmp.Compare(a.Path, b.Path) })
	return out, err
}
