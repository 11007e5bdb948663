package staging

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/writ-dev/writ"
)

// Overlay is the staged state of one task over its workspace. It is safe for
// concurrent use; writes are done one after the other, each judged against
// what the one before it left.
type Overlay struct {
	o Options

	// writing serialises the writes: judging a path and committing its change
	// are one act.
	writing sync.Mutex

	// mu guards the fields below. It is never held during I/O.
	mu       sync.Mutex
	manifest map[string]writ.Change
	shown    map[sight]string
}

// sight is what an agent looked at.
type sight struct{ agent, path string }

// Open loads the task's manifest from the store. The Overlay needs no closing.
func Open(ctx context.Context, opts Options) (*Overlay, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	o := &Overlay{o: opts, shown: map[sight]string{}}
	if err := o.Reload(ctx); err != nil {
		return nil, err
	}
	return o, nil
}

// Reload reads the manifest again, as must be done after an [Applier] changed
// its statuses.
func (o *Overlay) Reload(ctx context.Context) error {
	o.writing.Lock()
	defer o.writing.Unlock()
	changes, err := o.o.Store.Changes(ctx, o.o.Task)
	if err != nil {
		return fmt.Errorf("load staged changes: %w", err)
	}
	manifest := make(map[string]writ.Change, len(changes))
	for _, c := range changes {
		manifest[c.Path] = c
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.manifest = manifest
	return nil
}

// View gives the workspace as one agent run sees it. step may be empty.
func (o *Overlay) View(agent, step string) writ.Workspace {
	return &view{o: o, agent: agent, step: step}
}

// Changes returns the manifest sorted by path, whatever the statuses.
func (o *Overlay) Changes() []writ.Change {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.SortedFunc(maps.Values(o.manifest), func(a, b writ.Change) int { return strings.Compare(a.Path, b.Path) })
}

// Content returns the present content of a clean path: staged, else on disk.
// It is not judged; it is for the engine, not for agents.
func (o *Overlay) Content(ctx context.Context, path string) (content []byte, exists bool, err error) {
	img, _, err := o.present(ctx, path)
	return img.content, img.exists(), err
}

// Before returns the content that the workspace had when the task first
// touched the path; for an untouched path that is what it has now.
func (o *Overlay) Before(ctx context.Context, path string) (content []byte, exists bool, err error) {
	c, ok := o.lookup(path)
	if !ok {
		img, err := onDisk(ctx, o.o.Root, path, o.o.MaxRead)
		return img.content, img.exists(), err
	}
	img, err := stored(ctx, o.o.Store, c.BeforeSHA256, c.BeforeMode)
	return img.content, img.exists(), err
}

// present returns the version of a file that the task sees and whether it is
// the task's own.
func (o *Overlay) present(ctx context.Context, rel string) (img image, staged bool, err error) {
	if c, ok := o.staged(rel); ok {
		img, err := stored(ctx, o.o.Store, c.AfterSHA256, c.Mode)
		return img, true, err
	}
	img, err = onDisk(ctx, o.o.Root, rel, o.o.MaxRead)
	return img, false, err
}

// origin returns the version that the workspace had when the task first
// touched the path, which for an untouched path is the present one.
func (o *Overlay) origin(ctx context.Context, rel string, present image) (image, error) {
	if c, ok := o.staged(rel); ok {
		return stored(ctx, o.o.Store, c.BeforeSHA256, c.BeforeMode)
	}
	return present, nil
}

// staged finds the change of a path that waits to be applied. A change of
// another status is history: the disk tells what the file is.
func (o *Overlay) staged(rel string) (writ.Change, bool) {
	c, ok := o.lookup(rel)
	return c, ok && c.Status == writ.ChangeStaged
}

func (o *Overlay) lookup(rel string) (writ.Change, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c, ok := o.manifest[rel]
	return c, ok
}

// snapshot copies the manifest, so that it can be read without the lock.
func (o *Overlay) snapshot() map[string]writ.Change {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.manifest)
}
