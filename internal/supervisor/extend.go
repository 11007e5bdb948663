package supervisor

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// extend decides a request to add a file to the lock set: by the
// configuration for new files, by a person for existing ones.
func (r *run) extend(ctx context.Context, agent, _, name, reason string) error {
	rel, err := r.root.Clean(name)
	if err != nil {
		return err
	}
	if pattern, ok := r.root.Protected(rel); ok || r.root.Forbidden(rel) {
		return &writ.Error{Code: writ.CodeProtectedPath, Path: name, Msg: "is protected by " + pattern}
	}
	if r.locks.Has(rel) {
		return nil
	}
	if err := r.root.CheckTarget(rel); err != nil {
		return err
	}
	ext := r.s.d.Config.Governance.LockExtension
	if len(r.task.Work.Extended) >= ext.Max {
		return &writ.Error{Code: writ.CodeLimitReached, Path: name, Msg: fmt.Sprintf("the lock set may grow by %d files at most", ext.Max)}
	}
	exists, _, _, _, err := r.root.Stat(rel)
	if err != nil {
		return err
	}
	policy := ext.New
	if exists {
		policy = ext.Existing
	}
	refusal := &writ.Error{Code: writ.CodeFileNotLocked, Path: name, Msg: "was not added to the lock set (lock_extension: " + string(policy) + ")", Hint: "do the work in the planned files"}
	switch policy {
	case "planned_dirs":
		if !r.plannedDir(rel) {
			return refusal
		}
	case "ask":
		ok, err := r.askExtension(ctx, rel, reason)
		if err != nil {
			return err
		}
		if !ok {
			return refusal
		}
	default:
		return refusal
	}
	return r.addLock(ctx, agent, rel, reason)
}

// plannedDir reports whether a planned file stands in the same directory.
func (r *run) plannedDir(rel string) bool {
	return slices.ContainsFunc(r.task.Work.Plan.Files(), func(f string) bool { return path.Dir(f) == path.Dir(rel) })
}

// askExtension asks a person. Without input it is refused; --yes grants it.
func (r *run) askExtension(ctx context.Context, rel, reason string) (bool, error) {
	if r.task.Options.NoInput {
		return false, nil
	}
	h, err := r.ask(ctx, question{
		kind: writ.HoldApproval, subject: rel, sha: r.diskHash(ctx, rel),
		text:    fmt.Sprintf("let the task also write %s? The Coder says: %s", rel, oneLine(reason)),
		options: []string{answerApprove, answerReject}, onYes: answerApprove,
	})
	if err != nil {
		return false, err
	}
	if h.Answer != answerApprove {
		return false, errRejected
	}
	return true, nil
}

// diskHash is the hash of what stands on disk now, or empty.
func (r *run) diskHash(ctx context.Context, rel string) string {
	f, err := r.root.Read(ctx, rel, maxFile)
	if err != nil {
		return ""
	}
	return f.SHA256
}

func (r *run) addLock(ctx context.Context, agent, rel, reason string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	files := append(slices.Clone(r.task.Work.LockSet), rel)
	slices.Sort(files)
	r.task.Work.LockSet = files
	r.task.Work.Extended = append(r.task.Work.Extended, rel)
	r.emit(writ.EventLockExtended, agent, map[string]any{"path": rel, "reason": oneLine(reason)})
	id, ws := r.task.ID, r.task.Workspace
	if err := r.commitLocked(ctx, func(tx *store.Tx) error { return tx.LockPaths(id, ws, files) }); err != nil {
		return err
	}
	r.locks.Add(rel)
	return nil
}
