package guard

import (
	"context"

	"github.com/writ-dev/writ"
)

// Guard judges one path for one task, in the contract's order: path, protected,
// lock. It holds no state of its own and is safe for concurrent use if Grants
// is.
type Guard struct {
	Root  *Root
	Locks *LockSet
	// Grants tells whether a person approved a write to a protected path whose
	// present content has that hash, empty for an absent file. Nil approves
	// nothing.
	Grants func(rel, sha string) bool
}

// JudgeRead cleans a path that is to be read. A file that holds secrets is
// refused unless the plan named it; what it shows then is redacted by others.
func (g *Guard) JudgeRead(p string) (rel string, err error) {
	if rel, err = g.Root.Clean(p); err != nil {
		return "", err
	}
	real, err := g.Root.Resolve(rel)
	if err != nil {
		if writ.CodeOf(err) != writ.CodeFileNotFound {
			return "", err
		}
		real = rel
	}
	if inGit(real) {
		return "", gitRefusal(p)
	}
	if (g.Root.Secret(rel) || g.Root.Secret(real)) && !g.Locks.Has(rel) {
		return "", &writ.Error{Code: writ.CodeProtectedPath, Path: p, Msg: Show(rel) + " holds secrets and is not shown",
			Hint: "work without it, or let the plan name it; .env.example shows what it may hold"}
	}
	return rel, nil
}

// JudgePlan judges a path that a plan wants to write, or that is to join the
// lock set: everything but the lock. PROTECTED_PATH may be lifted by a person
// unless Root.Forbidden says otherwise.
func (g *Guard) JudgePlan(ctx context.Context, p string) (rel string, err error) {
	if rel, err = g.Root.Clean(p); err != nil {
		return "", err
	}
	if err = g.Root.CheckTarget(rel); err != nil {
		return "", err
	}
	if err = g.judgeProtected(ctx, rel); err != nil {
		return "", err
	}
	if err = g.judgeName(rel); err != nil {
		return "", err
	}
	return rel, nil
}

// JudgeWrite judges a path that is to be written, deleted or moved. It decides
// on what stands on the disk; content is judged by others.
func (g *Guard) JudgeWrite(p string) (rel string, err error) {
	if rel, err = g.Root.Clean(p); err != nil {
		return "", err
	}
	if err = g.Root.CheckTarget(rel); err != nil {
		return "", err
	}
	if err = g.judgeProtected(context.Background(), rel); err != nil {
		return "", err
	}
	if !g.Locks.Has(rel) {
		return "", &writ.Error{Code: writ.CodeFileNotLocked, Path: p, Msg: Show(rel) + " is not in the lock set of this task"}
	}
	if err = g.judgeName(rel); err != nil {
		return "", err
	}
	return rel, nil
}

// judgeProtected lets a protected path pass only with a grant that binds to
// its present content.
func (g *Guard) judgeProtected(ctx context.Context, rel string) error {
	if g.Root.Forbidden(rel) {
		return refuseForbidden(rel)
	}
	pattern, ok := g.Root.Protected(rel)
	if !ok {
		return nil
	}
	if g.Grants == nil {
		return refuseProtected(rel, pattern)
	}
	sha, err := g.Root.SHA(ctx, rel)
	if err != nil {
		return err
	}
	if !g.Grants(rel, sha) {
		return refuseProtected(rel, pattern)
	}
	return nil
}

// judgeName refuses a new file whose name no project is known to need. An
// existing file and a protected one that a person granted need no entry.
func (g *Guard) judgeName(rel string) error {
	if g.Root.Accepted(rel) {
		return nil
	}
	if _, ok := g.Root.Protected(rel); ok {
		return nil
	}
	if exists, _, _, _, err := g.Root.Stat(rel); err != nil || exists {
		return err
	}
	return invalid(rel, "has no extension or begins with a dot, and is no name that projects need",
		"give it an extension; a person can add the name to governance.file_names")
}
