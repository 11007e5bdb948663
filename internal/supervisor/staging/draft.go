package staging

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// changeEvent is the data of the change.* events.
type changeEvent struct {
	Path         string            `json:"path"`
	Op           writ.ChangeOp     `json:"op"`
	Status       writ.ChangeStatus `json:"status"`
	From         string            `json:"from,omitempty"`
	BeforeSHA256 string            `json:"before_sha256"`
	AfterSHA256  string            `json:"after_sha256"`
	Additions    int               `json:"additions"`
	Deletions    int               `json:"deletions"`
	Step         string            `json:"step,omitempty"`
	Code         writ.Code         `json:"code,omitempty"`
	Reason       string            `json:"reason,omitempty"`
}

func eventOf(c writ.Change, reason string) changeEvent {
	return changeEvent{
		Path: c.Path, Op: c.Op, Status: c.Status, From: c.From, BeforeSHA256: c.BeforeSHA256, AfterSHA256: c.AfterSHA256,
		Additions: c.Additions, Deletions: c.Deletions, Step: c.Step, Reason: reason,
	}
}

// draft is a manifest in the making: changes that become true together.
type draft struct {
	o           *Overlay
	agent, step string
	old, next   map[string]writ.Change
	blobs       map[string][]byte
}

// draft begins a change of the manifest. The caller holds o.writing until the
// draft is committed.
func (o *Overlay) draft(v *view) *draft {
	old := o.snapshot()
	return &draft{o: o, agent: v.agent, step: v.step, old: old, next: maps.Clone(old), blobs: map[string][]byte{}}
}

// put sets what a path shall be and returns its change. A path that shall be
// what it was has none; the change returned then says so by equal hashes.
func (d *draft) put(rel string, before, after image, from string) writ.Change {
	old, waiting := d.old[rel]
	waiting = waiting && old.Status == writ.ChangeStaged
	if waiting && from == "" {
		from = old.From // a moved file that is edited stays a moved file
	}
	c := writ.Change{
		Path: rel, Op: opOf(before, after, from), Status: writ.ChangeStaged,
		BeforeSHA256: before.sha, AfterSHA256: after.sha, Mode: after.mode, BeforeMode: before.mode, Step: d.step,
	}
	if c.Op == writ.OpMove {
		c.From = from
	}
	c.Additions, c.Deletions = countLines(before.content, after.content)
	if before.same(after) {
		if waiting {
			delete(d.next, rel)
		}
		return c
	}
	d.next[rel] = c
	for _, img := range []image{before, after} {
		if img.exists() {
			d.blobs[img.sha] = img.content
		}
	}
	return c
}

// opOf names the operation that leads from one version to the other.
func opOf(before, after image, from string) writ.ChangeOp {
	switch {
	case !after.exists():
		return writ.OpDelete
	case before.exists():
		return writ.OpModify
	case from != "":
		return writ.OpMove
	default:
		return writ.OpCreate
	}
}

// commit makes the draft the manifest: contents, rows and events in one
// transaction. If it fails the manifest is what it was.
func (d *draft) commit(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	d.settleMoves()
	var puts, drops []writ.Change
	for _, rel := range slices.Sorted(maps.Keys(d.next)) {
		if c := d.next[rel]; c != d.old[rel] {
			puts = append(puts, c)
			d.o.o.Ledger.Emit(writ.EventChangeStaged, d.agent, eventOf(c, ""))
		}
	}
	for _, rel := range slices.Sorted(maps.Keys(d.old)) {
		if _, ok := d.next[rel]; !ok {
			drops = append(drops, d.old[rel])
			gone := d.old[rel]
			gone.Status = writ.ChangeRejected
			d.o.o.Ledger.Emit(writ.EventChangeRejected, d.agent, eventOf(gone, "the file is again as it was"))
		}
	}
	if len(puts)+len(drops) == 0 {
		return nil
	}
	if err := d.o.o.Ledger.Commit(ctx, func(tx *store.Tx) error { return d.save(tx, puts, drops) }); err != nil {
		for _, c := range puts {
			// The ledger keeps what it could not write: if it can be written
			// later, it must not say that this was staged.
			c.Status = writ.ChangeRejected
			d.o.o.Ledger.Emit(writ.EventChangeRejected, d.agent, eventOf(c, "the change could not be recorded"))
		}
		return fmt.Errorf("record the staged change: %w", err)
	}
	d.o.mu.Lock()
	defer d.o.mu.Unlock()
	d.o.manifest = d.next
	return nil
}

func (d *draft) save(tx *store.Tx, puts, drops []writ.Change) error {
	for _, sha := range slices.Sorted(maps.Keys(d.blobs)) {
		if _, err := tx.PutBlob(d.blobs[sha]); err != nil {
			return err
		}
	}
	for _, c := range puts {
		if err := tx.PutChange(d.o.o.Task, c); err != nil {
			return err
		}
	}
	for _, c := range drops {
		if err := tx.DropChange(d.o.o.Task, c.Path); err != nil {
			return err
		}
	}
	return nil
}

// settleMoves turns a move into a creation when the file it came from is there
// again. Of two files that came from one, only the first is its move.
func (d *draft) settleMoves() {
	taken := map[string]bool{}
	for _, rel := range slices.Sorted(maps.Keys(d.next)) {
		c := d.next[rel]
		if c.Op != writ.OpMove || c.Status != writ.ChangeStaged {
			continue
		}
		source, ok := d.next[c.From]
		if ok && source.Status == writ.ChangeStaged && source.Op == writ.OpDelete && !taken[c.From] {
			taken[c.From] = true
			continue
		}
		c.Op, c.From = writ.OpCreate, ""
		d.next[rel] = c
	}
}
