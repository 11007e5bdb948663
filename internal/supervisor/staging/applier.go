package staging

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// applyReadLimit bounds a file that is compared with what the task left; a
// larger one was changed by somebody else.
const applyReadLimit = 64 << 20

// ApplyStore is the [Store] with the journal of applies; a *store.Store is one.
type ApplyStore interface {
	Store
	// Applies returns the applies and undos that did not end.
	Applies(ctx context.Context) ([]store.Apply, error)
	// Events returns stored events of a task, oldest first.
	Events(ctx context.Context, taskID string, after int64, limit int) ([]writ.Event, error)
}

// ApplyDisk is the [Disk] with what writing and taking back need; a
// *guard.Root is one. Replace and Remove are compare-and-swap on the hash of
// the present content and leave the old content whole on any error.
type ApplyDisk interface {
	Disk
	Dir() string
	Forbidden(rel string) bool
	CheckTarget(rel string) error
	Replace(ctx context.Context, rel string, content []byte, mode fs.FileMode, base string) error
	Remove(ctx context.Context, rel, base string) error
	// RemoveDir removes a folder if it is empty, and else leaves it alone.
	RemoveDir(rel string) error
	// CleanTemps removes temporary files that a killed process left in the
	// folders of the given paths.
	CleanTemps(ctx context.Context, rels ...string) error
}

// ApplierOptions are the parts of an [Applier].
type ApplierOptions struct {
	Store ApplyStore
	Root  ApplyDisk
	// Ledger gives the ledger of a task. It is asked once for each act.
	Ledger func(taskID string) Ledger
}

// Applier brings staged changes into one workspace and takes them back. It
// keeps no state; it is safe for concurrent use on different tasks.
type Applier struct{ o ApplierOptions }

// NewApplier checks the options; all of them are required.
func NewApplier(o ApplierOptions) (*Applier, error) {
	switch {
	case o.Store == nil:
		return nil, errors.New("staging: ApplierOptions.Store is nil")
	case o.Root == nil:
		return nil, errors.New("staging: ApplierOptions.Root is nil")
	case o.Ledger == nil:
		return nil, errors.New("staging: ApplierOptions.Ledger is nil")
	}
	return &Applier{o: o}, nil
}

// Outcome tells what became of each path that was asked for, each list sorted.
// A path that had nothing to do is in none of them.
type Outcome struct {
	Applied []string // as asked now: applied, undone or discarded
	Stale   []string // changed by a person since, left alone
	Failed  []string // refused for another reason, left alone
	Unknown []string // asked for by name, but not among the task's changes
	// Denials says why for each path of Stale and Failed.
	Denials []*writ.Error
}

func (o *Outcome) deny(path string, err error) {
	refused := &writ.Error{Code: writ.CodeInternal, Msg: err.Error(), Err: err}
	if known := (*writ.Error)(nil); errors.As(err, &known) {
		copied := *known
		refused = &copied
	}
	refused.Path = path // in the change's spelling, whatever the refuser's was
	if refused.Code == writ.CodeStaleFile {
		o.Stale = append(o.Stale, path)
	} else {
		o.Failed = append(o.Failed, path)
	}
	o.Denials = append(o.Denials, refused)
}

// denyHalted names the file that ended a strict pass.
func (o *Outcome) denyHalted(err error) {
	var halted *writ.Error
	if errors.As(err, &halted) {
		o.deny(halted.Path, halted)
	}
}

func (o *Outcome) sort() {
	slices.Sort(o.Applied)
	slices.Sort(o.Stale)
	slices.Sort(o.Failed)
	slices.SortFunc(o.Denials, func(a, b *writ.Error) int { return strings.Compare(a.Path, b.Path) })
}

// pick chooses the changes that are meant by paths, each a file or a folder;
// no path means all. A move is one act: asking for one of its two paths asks
// for both. unknown are the paths that name no change, whatever its status.
func (a *Applier) pick(ctx context.Context, taskID string, paths []string, status ...writ.ChangeStatus) (picked []writ.Change, unknown []string, err error) {
	changes, err := a.o.Store.Changes(ctx, taskID)
	if err != nil {
		return nil, nil, fmt.Errorf("load the task's changes: %w", err)
	}
	wanted := map[string]bool{}
	for _, given := range paths {
		rel, err := a.o.Root.Clean(given)
		if err != nil {
			return nil, nil, err
		}
		found := false
		for _, c := range changes {
			if c.Path == rel || strings.HasPrefix(c.Path, rel+"/") {
				wanted[c.Path], found = true, true
			}
		}
		if !found {
			unknown = append(unknown, rel)
		}
	}
	withPartners(changes, wanted)
	for _, c := range changes {
		if (len(paths) == 0 || wanted[c.Path]) && (len(status) == 0 || slices.Contains(status, c.Status)) {
			picked = append(picked, c)
		}
	}
	slices.Sort(unknown)
	return picked, unknown, nil
}

// withPartners adds the other path of each move.
func withPartners(changes []writ.Change, wanted map[string]bool) {
	for _, c := range changes {
		if c.From != "" && (wanted[c.Path] || wanted[c.From]) {
			wanted[c.Path], wanted[c.From] = true, true
		}
	}
}

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
