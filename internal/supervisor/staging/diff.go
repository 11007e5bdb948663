package staging

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
)

// Diff renders the staged and applied changes as one unified diff in git's
// form; with paths, those changes whatever became of them. The text has the
// files' own bytes: pass it through show.Escape before a person sees it.
func (a *Applier) Diff(ctx context.Context, taskID string, paths []string) (string, error) {
	var statuses []writ.ChangeStatus
	if len(paths) == 0 {
		statuses = []writ.ChangeStatus{writ.ChangeStaged, writ.ChangeApplied}
	}
	changes, _, err := a.pick(ctx, taskID, paths, statuses...)
	if err != nil {
		return "", err
	}
	byPath := map[string]writ.Change{}
	for _, c := range changes {
		byPath[c.Path] = c
	}
	for _, c := range changes {
		if c.Op == writ.OpMove {
			delete(byPath, c.From) // shown as the move
		}
	}
	var b strings.Builder
	for _, rel := range slices.Sorted(maps.Keys(byPath)) {
		p, err := a.patch(ctx, byPath[rel], changes)
		if err != nil {
			return "", err
		}
		p.write(&b)
	}
	return b.String(), nil
}

// patch loads both sides of a change; the old side of a move is the file that
// it came from.
func (a *Applier) patch(ctx context.Context, c writ.Change, all []writ.Change) (filePatch, error) {
	old := c
	if i := slices.IndexFunc(all, func(other writ.Change) bool { return c.Op == writ.OpMove && other.Path == c.From }); i >= 0 {
		old = all[i]
	}
	before, err := stored(ctx, a.o.Store, old.BeforeSHA256, old.BeforeMode)
	if err != nil {
		return filePatch{}, err
	}
	after, err := stored(ctx, a.o.Store, c.AfterSHA256, c.Mode)
	if err != nil {
		return filePatch{}, err
	}
	return filePatch{
		from: old.Path, to: c.Path, before: before.content, after: after.content,
		existed: before.exists(), is: after.exists(), oldMode: before.mode, mode: after.mode,
	}, nil
}
