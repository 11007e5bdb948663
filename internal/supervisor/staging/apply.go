package staging

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// ApplyAll brings all staged changes of a task into the workspace, or none:
// one file that a person changed, or that may not be written any more, leaves
// every change staged, and the outcome names those files. It is the last act
// of VERIFY.
//
// An I/O error, a full or read-only disk for instance, is returned as one
// *writ.Error after everything written was taken back.
func (a *Applier) ApplyAll(ctx context.Context, taskID string) (Outcome, error) {
	return a.run(ctx, taskID, nil, store.KindApply, true)
}

// Apply brings staged changes into the workspace, those of the given paths or
// all. A file that a person changed since is left alone, staged, and named in
// the outcome with STALE_FILE; the others are done. A file that has the wanted
// content already counts as applied. Nothing to do is no error.
//
// An I/O error is as for [Applier.ApplyAll].
func (a *Applier) Apply(ctx context.Context, taskID string, paths []string) (Outcome, error) {
	return a.run(ctx, taskID, paths, store.KindApply, false)
}

// Undo takes applied changes back, those of the given paths or all: changed
// and deleted files get their former bytes and modes, created ones go, and the
// folders made for them too where they are empty. A file that is no longer as
// the task left it stays, applied, and is named in the outcome with
// STALE_FILE. Nothing else in the workspace is touched, and repeating an undo
// does nothing. An undone change cannot be applied again.
func (a *Applier) Undo(ctx context.Context, taskID string, paths []string) (Outcome, error) {
	return a.run(ctx, taskID, paths, store.KindUndo, false)
}

func (a *Applier) run(ctx context.Context, taskID string, paths []string, kind string, strict bool) (Outcome, error) {
	want := writ.ChangeStaged
	if kind == store.KindUndo {
		want = writ.ChangeApplied
	}
	changes, unknown, err := a.pick(ctx, taskID, paths, want)
	out := Outcome{Unknown: unknown}
	if err != nil {
		return out, err
	}
	entries, err := a.plan(ctx, changes, kind, &out)
	defer out.sort()
	if err != nil || len(entries) == 0 || strict && len(out.Denials) > 0 {
		return out, err
	}
	folders, err := a.folders(ctx, taskID, kind, entries)
	if err != nil {
		return out, err
	}
	p := &pass{a: a, ledger: a.o.Ledger(taskID), strict: strict, row: store.Apply{
		TaskID: taskID, Workspace: a.o.Root.Dir(), Kind: kind, Entries: append(folders, entries...),
	}}
	if err := p.begin(ctx); err != nil {
		return out, err
	}
	if err := p.forward(ctx, &out); err != nil {
		if code := writ.CodeOf(err); writ.Lookup(code).Denial {
			out.denyHalted(err)
			return out, nil
		}
		return out, err
	}
	return out, p.finish(ctx, changes, &out)
}

// folders lists the folders that a pass makes, or that it may remove.
func (a *Applier) folders(ctx context.Context, taskID, kind string, entries []store.ApplyEntry) ([]store.ApplyEntry, error) {
	if kind == store.KindApply {
		return a.missingFolders(entries)
	}
	gone := map[string]bool{}
	for _, e := range entries {
		gone[e.Path] = e.AfterSHA256 == ""
	}
	made := map[string]bool{}
	for after := int64(0); ; {
		events, err := a.o.Store.Events(ctx, taskID, after, eventPage)
		if err != nil {
			return nil, fmt.Errorf("look for the folders that the task made: %w", err)
		}
		for _, ev := range events {
			after = ev.Seq
			var data appliedEvent
			if ev.Type == writ.EventChangeApplied && json.Unmarshal(ev.Data, &data) == nil && gone[data.Path] {
				for _, dir := range data.Folders {
					made[dir] = true
				}
			}
		}
		if len(events) < eventPage {
			break
		}
	}
	var folders []store.ApplyEntry
	for _, dir := range slices.Sorted(maps.Keys(made)) {
		folders = append(folders, store.ApplyEntry{Path: dir, Op: opRemoveFolder})
	}
	return folders, nil
}

// eventPage is how many events are read at a time.
const eventPage = 500
