package staging

import (
	"context"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// Discard drops staged changes; the workspace is not touched. Repeating it
// does nothing.
func (a *Applier) Discard(ctx context.Context, taskID string, paths []string) (Outcome, error) {
	changes, unknown, err := a.pick(ctx, taskID, paths, writ.ChangeStaged)
	out := Outcome{Unknown: unknown}
	if err != nil || len(changes) == 0 {
		return out, err
	}
	ledger := a.o.Ledger(taskID)
	for i := range changes {
		changes[i].Status = writ.ChangeDiscarded
		ledger.Emit(writ.EventChangeRejected, "", eventOf(changes[i], "discarded"))
		out.Applied = append(out.Applied, changes[i].Path)
	}
	return out, ledger.Commit(ctx, func(tx *store.Tx) error { return saveChanges(tx, taskID, changes) })
}

func saveChanges(tx *store.Tx, taskID string, changes []writ.Change) error {
	for _, c := range changes {
		if err := tx.PutChange(taskID, c); err != nil {
			return err
		}
	}
	return nil
}
