package store

import (
	"context"

	"github.com/writ-dev/writ"
)

// PutHold adds a hold or writes it back. A hold that is closed in the store
// never changes again: of two answers that arrive together one counts, and the
// other is a *writ.Error of code STATE_ILLEGAL.
func (tx *Tx) PutHold(h writ.Hold) error {
	data, err := encode("put hold", h)
	if err != nil {
		return err
	}
	n, err := tx.exec("put hold", qHoldPut, h.TaskID, text(h.ID), string(h.Kind), toMS(h.CreatedAt), toMS(h.ExpiresAt), toMS(h.ClosedAt), data)
	if err == nil && n == 0 {
		return &writ.Error{Code: writ.CodeStateIllegal, Op: "answer hold", Msg: "hold " + h.ID + " has been answered already"}
	}
	return err
}

// Holds returns a task's holds, oldest first.
func (s *Store) Holds(ctx context.Context, taskID string) ([]writ.Hold, error) {
	return list[writ.Hold](ctx, s, "read holds", qHoldList, taskID)
}
