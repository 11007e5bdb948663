package staging

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// pass is one journaled run over files. Its row says what is to be done and is
// committed before the first byte is written.
type pass struct {
	a      *Applier
	ledger Ledger
	row    store.Apply
	strict bool // one stale file stops them all
}

// begin writes the row down.
func (p *pass) begin(ctx context.Context) error {
	err := p.ledger.Commit(ctx, func(tx *store.Tx) error { return tx.BeginApply(&p.row) })
	if err != nil {
		return fmt.Errorf("write the %s journal: %w", p.row.Kind, err)
	}
	return nil
}

// forward brings every entry to its after-version. A file that changed in the
// meantime is left alone and told in out, or in a strict pass ends it. On any
// other error, and when a strict pass ends, all that was written is taken back
// and halted tells why.
func (p *pass) forward(ctx context.Context, out *Outcome) (halted error) {
	for i := range p.row.Entries {
		e := &p.row.Entries[i]
		if noWrite(*e) || e.Done {
			continue
		}
		done, err := p.a.bring(ctx, *e)
		e.Done = done
		switch {
		case err == nil:
		case writ.Lookup(writ.CodeOf(err)).Denial && !p.strict:
			out.deny(e.Path, err)
		default:
			return p.halt(ctx, e.Path, err)
		}
	}
	p.removeFolders(opRemoveFolder)
	return nil
}

// bring changes one file from its before-version to its after-version by
// compare-and-swap, and tells whether the file has the after-version now. That
// can be so in spite of an error: the sync after the rename may fail.
func (a *Applier) bring(ctx context.Context, e store.ApplyEntry) (done bool, err error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if e.AfterSHA256 == "" {
		err = a.o.Root.Remove(ctx, e.Path, e.BeforeSHA256)
	} else {
		after, loadErr := stored(ctx, a.o.Store, e.AfterSHA256, e.AfterMode)
		if loadErr != nil {
			return false, loadErr
		}
		err = a.o.Root.Replace(ctx, e.Path, after.content, e.AfterMode, e.BeforeSHA256)
	}
	if err == nil {
		return true, nil
	}
	at, _, inspectErr := a.inspect(context.WithoutCancel(ctx), e)
	done = inspectErr == nil && at == placeAfter
	if done && writ.CodeOf(err) == writ.CodeStaleFile {
		return true, nil // somebody brought it there before us
	}
	return done, err
}

// halt takes back what the pass wrote and makes one error of it. A cancelled
// context does not stop the way back.
func (p *pass) halt(ctx context.Context, path string, cause error) error {
	left := p.back(context.WithoutCancel(ctx))
	msg := strings.TrimSpace(p.row.Kind+" "+path) + ": " + cause.Error()
	if len(left) == 0 {
		msg += "; every file is as it was before"
	} else {
		msg += "; not taken back: " + strings.Join(left, ", ")
	}
	code := writ.CodeInternal
	if known := writ.CodeOf(cause); writ.Lookup(known).Denial {
		code = known
	} else if ctx.Err() != nil {
		code = writ.CodeCancelled
	}
	return &writ.Error{Code: code, Path: path, Msg: msg, Hint: "mend the cause, then writ " + p.row.Kind, Err: cause}
}

// back takes every written file to its before-version, newest first, and
// returns those that could not be: a person's edit came between, or the disk
// refuses. The row is closed unless the disk refused, so that [Applier.Recover]
// tries again.
func (p *pass) back(ctx context.Context) (left []string) {
	again := false
	for i := len(p.row.Entries) - 1; i >= 0; i-- {
		e := p.row.Entries[i]
		if noWrite(e) || !e.Done {
			continue
		}
		if done, err := p.a.bring(ctx, reversed(e)); !done {
			left = append(left, e.Path)
			again = again || !writ.Lookup(writ.CodeOf(err)).Denial
			continue
		}
		p.row.Entries[i].Done = false
	}
	p.removeFolders(opMakeFolder)
	slices.Sort(left)
	if again {
		return left
	}
	p.row.Status = store.ApplyRolledBack
	if err := p.ledger.Commit(ctx, func(tx *store.Tx) error { return tx.SaveApply(&p.row) }); err != nil {
		// The row stays begun. Recover finds every file at its old version and
		// closes it then.
		return left
	}
	return left
}

// removeFolders removes the pass's folders of one kind where they are empty,
// the innermost first. One that cannot be removed is left: an empty folder is
// no reason to call a finished pass a failure.
func (p *pass) removeFolders(op writ.ChangeOp) {
	for i := len(p.row.Entries) - 1; i >= 0; i-- {
		if e := p.row.Entries[i]; e.Op == op {
			_ = p.a.o.Root.RemoveDir(e.Path)
		}
	}
}

// finish sets the statuses of the done entries, tells of them, and closes the
// row, all in one commit. If that fails the files are taken back too, so that
// rows and disk say the same.
func (p *pass) finish(ctx context.Context, changes []writ.Change, out *Outcome) error {
	status, event, contrary := writ.ChangeApplied, writ.EventChangeApplied, writ.EventChangeUndone
	if p.row.Kind == store.KindUndo {
		status, event, contrary = writ.ChangeUndone, contrary, event
	}
	var done []writ.Change
	for _, c := range changes {
		if !p.done(c.Path) {
			continue
		}
		c.Status = status
		done = append(done, c)
		out.Applied = append(out.Applied, c.Path)
		p.ledger.Emit(event, "", appliedEvent{eventOf(c, ""), p.foldersOf(c.Path)})
	}
	p.row.Status = store.ApplyDone
	ctx = context.WithoutCancel(ctx) // the files are written: the rows must say so
	err := p.ledger.Commit(ctx, func(tx *store.Tx) error {
		if err := saveChanges(tx, p.row.TaskID, done); err != nil {
			return err
		}
		return tx.SaveApply(&p.row)
	})
	if err == nil {
		return nil
	}
	out.Applied = nil
	for _, c := range done {
		// The ledger keeps what it could not write. If it can be written again
		// later, it must not end with something that was taken back.
		p.ledger.Emit(contrary, "", eventOf(c, "taken back, since the result could not be recorded"))
	}
	return p.halt(ctx, "", fmt.Errorf("record the result: %w", err))
}

// done reports whether the file of a path has its after-version.
func (p *pass) done(rel string) bool {
	return slices.ContainsFunc(p.row.Entries, func(e store.ApplyEntry) bool { return e.Path == rel && e.Done && !isFolder(e) })
}

// appliedEvent is a change event with the folders that were made for the file,
// which tells a later undo what it may remove.
type appliedEvent struct {
	changeEvent
	Folders []string `json:"folders,omitempty"`
}

func (p *pass) foldersOf(rel string) []string {
	var made []string
	for _, e := range p.row.Entries {
		if e.Op == opMakeFolder && strings.HasPrefix(rel, e.Path+"/") {
			made = append(made, e.Path)
		}
	}
	return made
}
