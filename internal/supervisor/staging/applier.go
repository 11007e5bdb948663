package staging

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
