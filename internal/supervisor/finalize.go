package supervisor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/gitx"
)

// finalize applies what was verified: the last act of VERIFY. What a rule
// stood in for stays staged, whatever the apply mode says.
func (r *run) finalize(ctx context.Context) (string, error) {
	r.openPhaseLabel(writ.PhaseFinalizing)
	degraded := r.task.Work.Degraded()
	if r.task.Options.Apply == writ.ApplyVerified && !degraded {
		if err := r.approveProtected(ctx); err != nil {
			return r.waitOr(err)
		}
		next, err := r.applyAll(ctx)
		if err != nil || next != "" {
			return next, err
		}
	}
	if err := r.move(writ.StateDone); err != nil {
		return "", err
	}
	r.closePhase("done")
	if degraded {
		r.task.Outcome = writ.OutcomeDegraded
		r.task.Reason = writ.Reason{Code: writ.ReasonRulesOnly, Message: "rules stood in for a model; the changes stay staged: writ apply", Phase: writ.PhaseFinalizing}
		return phaseEnd, nil
	}
	r.task.Outcome = writ.OutcomeSucceeded
	return phaseDeliver, nil
}

// approveProtected asks a person for each protected path, with the exact
// content that would be written. A grant lapses when a byte changes.
func (r *run) approveProtected(ctx context.Context) error {
	for _, c := range r.overlay.Changes() {
		pattern, ok := r.root.Protected(c.Path)
		if !ok || c.Status != writ.ChangeStaged {
			continue
		}
		diff, err := r.applier.Diff(ctx, r.task.ID, []string{c.Path})
		if err != nil {
			return fmt.Errorf("show %s: %w", c.Path, err)
		}
		h, err := r.ask(ctx, question{
			kind: writ.HoldApproval, subject: c.Path, sha: c.AfterSHA256,
			text:    fmt.Sprintf("write the protected path %s (%s), sha256 %.12s?\n%s", c.Path, pattern, c.AfterSHA256, diff),
			options: []string{answerApprove, answerReject}, onYes: answerReject,
		})
		if err != nil {
			return err
		}
		if h.Answer != answerApprove {
			return errRejected
		}
		r.task.Work.Granted = append(r.task.Work.Granted, writ.Grant{Path: c.Path, SHA256: c.AfterSHA256})
	}
	return nil
}

// applyAll writes every staged change or none. A person's edit found now ends
// the task as stale, with everything kept staged.
func (r *run) applyAll(ctx context.Context) (string, error) {
	out, err := r.applier.ApplyAll(ctx, r.task.ID)
	for _, d := range out.Denials {
		r.deny(writ.Denial{Code: d.Code, Path: d.Path, Agent: "supervisor"}, d.Error())
	}
	switch {
	case len(out.Stale) > 0:
		return r.finish(writ.OutcomeFailed, writ.ReasonStaleWorkspace, "changed by a person meanwhile: "+strings.Join(out.Stale, ", "))
	case len(out.Failed) > 0:
		return r.finish(writ.OutcomeFailed, writ.ReasonDenied, "may not be written any more: "+strings.Join(out.Failed, ", "))
	case err != nil && ctx.Err() != nil:
		return "", err
	case err != nil:
		r.emit(writ.EventError, "", map[string]any{"code": writ.CodeOf(err), "phase": r.task.Phase, "message": err.Error()})
		return r.finish(writ.OutcomeFailed, writ.ReasonInternal, "nothing was applied: "+err.Error())
	}
	return "", r.overlay.Reload(ctx)
}

// deliver gives git what the person asked for. It runs in DONE; its failure
// leaves DONE and can be repeated.
func (r *run) deliver(ctx context.Context) (string, error) {
	d := &r.task.Work.Delivery
	d.Error = ""
	var err error
	switch r.task.Options.Deliver {
	case writ.DeliverNone, "":
		return phaseEnd, nil
	case writ.DeliverPatch:
		err = r.deliverPatch(ctx, d)
	case writ.DeliverBranch:
		err = r.deliverBranch(ctx, d)
	case writ.DeliverPR:
		err = &writ.Error{Code: writ.CodeUsage, Msg: "pull requests are not part of this version", Hint: "use --deliver branch and open the request from it"}
	}
	if err != nil {
		d.Error = r.s.d.Redact.Text(oneLine(err.Error()))
		r.emit(writ.EventError, "", map[string]any{"code": writ.CodeOf(err), "phase": writ.PhaseFinalizing, "message": d.Error})
	}
	return phaseEnd, nil
}

// deliverPatch writes the patch beside the state, outside the workspace.
func (r *run) deliverPatch(ctx context.Context, d *writ.Delivery) error {
	changes, err := r.delivered(ctx)
	if err != nil {
		return err
	}
	files := make([]gitx.PatchFile, 0, len(changes))
	for _, c := range changes {
		f := gitx.PatchFile{Path: c.Path, From: c.From}
		if f.Before, err = r.side(ctx, c.BeforeSHA256, c.BeforeMode); err != nil {
			return err
		}
		if f.After, err = r.side(ctx, c.AfterSHA256, c.Mode); err != nil {
			return err
		}
		files = append(files, f)
	}
	patch, err := r.repo.DeliverPatch(ctx, r.message(), files)
	if err != nil {
		return fmt.Errorf("make the patch: %w", err)
	}
	dir := filepath.Join(r.s.d.WorkDir, "patches")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder for patches: %w", err)
	}
	path := filepath.Join(dir, r.task.ID+".patch")
	if err := os.WriteFile(path, patch, 0o600); err != nil {
		return fmt.Errorf("write the patch: %w", err)
	}
	d.Patch = path
	return nil
}

// side is a file's verified content; nil for an absent one.
func (r *run) side(ctx context.Context, sha string, mode fs.FileMode) (*gitx.Side, error) {
	if sha == "" {
		return nil, nil
	}
	content, err := r.s.d.Store.Blob(ctx, sha)
	if err != nil {
		return nil, fmt.Errorf("read the verified content: %w", err)
	}
	return &gitx.Side{Content: content, Mode: mode}, nil
}

func (r *run) deliverBranch(ctx context.Context, d *writ.Delivery) error {
	files, err := r.branchFiles(ctx)
	if err != nil {
		return err
	}
	branch := path.Join(r.s.d.Config.Delivery.BranchPrefix, strings.ToLower(r.task.ID))
	d.Branch, d.Commit, err = r.repo.DeliverBranch(ctx, branch, r.message(), files)
	if err != nil {
		d.Branch, d.Commit = "", ""
		return fmt.Errorf("make the branch: %w", err)
	}
	return nil
}

// branchFiles are the verified blobs, never what stands on disk now.
func (r *run) branchFiles(ctx context.Context) ([]gitx.BranchFile, error) {
	changes, err := r.delivered(ctx)
	if err != nil {
		return nil, err
	}
	files := make([]gitx.BranchFile, 0, len(changes))
	for _, c := range changes {
		f := gitx.BranchFile{Path: c.Path, Mode: c.Mode, Delete: c.AfterSHA256 == ""}
		if !f.Delete {
			if f.Content, err = r.s.d.Store.Blob(ctx, c.AfterSHA256); err != nil {
				return nil, fmt.Errorf("read the verified content of %s: %w", c.Path, err)
			}
		}
		files = append(files, f)
	}
	return files, nil
}

// delivered lists the changes that a delivery holds: what is staged or applied.
// A protected path that nobody approved is not among them.
func (r *run) delivered(ctx context.Context) ([]writ.Change, error) {
	changes, err := r.s.d.Store.Changes(ctx, r.task.ID)
	if err != nil {
		return nil, fmt.Errorf("read the changes: %w", err)
	}
	var out []writ.Change
	for _, c := range changes {
		_, protected := r.root.Protected(c.Path)
		if (c.Status == writ.ChangeStaged || c.Status == writ.ChangeApplied) && (!protected || r.granted(c)) {
			out = append(out, c)
		}
	}
	return out, nil
}

// message is the commit's: what was asked, and the task that did it.
func (r *run) message() string {
	subject := r.task.Work.Plan.Summary
	if strings.TrimSpace(subject) == "" {
		subject = r.task.Prompt
	}
	subject = oneLine(subject)
	if len(subject) > 72 {
		subject = strings.ToValidUTF8(subject[:69], "") + "…"
	}
	return subject + "\n\nWrit-Task: " + r.task.ID + "\n"
}
