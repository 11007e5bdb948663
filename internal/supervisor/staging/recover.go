package staging

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// Recovery tells how an interrupted pass was ended.
type Recovery struct {
	TaskID   string
	Kind     string   // apply or undo
	Finished bool     // all files are new; otherwise all are old
	Alone    []string // files with a third content, left as they are
}

// Recover ends the applies and undos of this workspace that a kill or a crash
// interrupted, so that all their files are new or all are old:
//
//   - If nothing was written yet, or was taken back already, the pass is
//     closed as rolled back; its task may apply again.
//   - If the remaining files can all be brought to their new version, they are.
//   - If a file has a third content or a content is missing in the store, the
//     others are taken back; a file with a third content is left alone.
//
// live tells whether a process works on a task now; its passes are left to it.
// Nil means that none does. A task must not go on before its interrupted pass
// was ended. Recover also removes the temporary files that a killed process
// left beside these files. It goes on after an error and returns them joined;
// repeating it is safe.
func (a *Applier) Recover(ctx context.Context, live func(taskID string) bool) ([]Recovery, error) {
	rows, err := a.o.Store.Applies(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for interrupted applies: %w", err)
	}
	var done []Recovery
	var errs []error
	for _, row := range rows {
		if !sameFolder(row.Workspace, a.o.Root.Dir()) || live != nil && live(row.TaskID) {
			continue
		}
		r, err := a.recover(ctx, row)
		if err != nil {
			errs = append(errs, fmt.Errorf("end the interrupted %s of task %s: %w", row.Kind, row.TaskID, err))
			continue
		}
		done = append(done, r)
	}
	return done, errors.Join(errs...)
}

func (a *Applier) recover(ctx context.Context, row store.Apply) (Recovery, error) {
	r := Recovery{TaskID: row.TaskID, Kind: row.Kind}
	if err := a.cleanTemps(ctx, row); err != nil {
		return r, err
	}
	p := &pass{a: a, ledger: a.o.Ledger(row.TaskID), row: row, strict: true}
	begun, whole := false, true
	for i := range p.row.Entries {
		e := &p.row.Entries[i]
		if noWrite(*e) {
			continue
		}
		at, _, err := a.inspect(ctx, *e)
		if err != nil && !writ.Lookup(writ.CodeOf(err)).Denial {
			return r, err
		}
		switch e.Done = at == placeAfter; at {
		case placeAfter:
			begun = true
		case placeBefore:
			whole = whole && a.held(ctx, e.AfterSHA256)
		case placeOther:
			r.Alone, whole = append(r.Alone, e.Path), false
		}
	}
	slices.Sort(r.Alone)
	if !begun || !whole {
		if left := p.back(ctx); len(left) > 0 {
			return r, fmt.Errorf("not taken back: %v", left)
		}
		return r, nil
	}
	changes, _, err := a.pick(ctx, row.TaskID, nil)
	if err != nil {
		return r, err
	}
	if err := p.forward(ctx, &Outcome{}); err != nil {
		return r, err
	}
	r.Finished = true
	return r, p.finish(ctx, changes, &Outcome{})
}

// cleanTemps removes what a killed write left beside the files of a pass. It
// comes first, since it may put a person's file back in its place.
func (a *Applier) cleanTemps(ctx context.Context, row store.Apply) error {
	var paths []string
	for _, e := range row.Entries {
		if !isFolder(e) {
			paths = append(paths, e.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return a.o.Root.CleanTemps(ctx, paths...)
}

// sameFolder reports whether two paths are one folder, perhaps by way of links.
func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// held reports whether the store has a content; the absent file needs none.
func (a *Applier) held(ctx context.Context, sha string) bool {
	if sha == "" {
		return true
	}
	_, err := a.o.Store.Blob(ctx, sha)
	return err == nil
}
