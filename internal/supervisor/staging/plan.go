package staging

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// The entries of a pass that are folders: made for a new file, or removed
// again with it.
const (
	opMakeFolder   writ.ChangeOp = "mkdir"
	opRemoveFolder writ.ChangeOp = "rmdir"
)

func isFolder(e store.ApplyEntry) bool { return e.Op == opMakeFolder || e.Op == opRemoveFolder }

// entryOf is a change as a pass of the given kind carries it out.
func entryOf(c writ.Change, kind string) store.ApplyEntry {
	e := store.ApplyEntry{
		Path: c.Path, Op: c.Op, BeforeSHA256: c.BeforeSHA256, AfterSHA256: c.AfterSHA256, BeforeMode: c.BeforeMode, AfterMode: c.Mode,
	}
	if kind == store.KindUndo {
		return reversed(e)
	}
	return e
}

// reversed is the entry that takes another one back.
func reversed(e store.ApplyEntry) store.ApplyEntry {
	e.BeforeSHA256, e.AfterSHA256 = e.AfterSHA256, e.BeforeSHA256
	e.BeforeMode, e.AfterMode = e.AfterMode, e.BeforeMode
	return e
}

// place is where a file stands between the two versions of an entry.
type place int

const (
	placeOther place = iota // a third content: somebody else's
	placeBefore
	placeAfter
)

// placeOf compares a file with both versions of an entry. The mode counts only
// where the content does not tell the versions apart.
func placeOf(now image, e store.ApplyEntry) place {
	switch {
	case e.BeforeSHA256 == e.AfterSHA256 && now.sha == e.AfterSHA256:
		if now.mode == e.AfterMode {
			return placeAfter
		}
		return placeBefore
	case now.sha == e.AfterSHA256:
		return placeAfter
	case now.sha == e.BeforeSHA256:
		return placeBefore
	default:
		return placeOther
	}
}

// inspect judges the target of an entry again, since names, links and bytes
// may have changed since the change was staged, and tells where it stands.
func (a *Applier) inspect(ctx context.Context, e store.ApplyEntry) (place, image, error) {
	rel, err := a.o.Root.Clean(e.Path)
	if err != nil {
		return placeOther, image{}, err
	}
	if rel != e.Path {
		return placeOther, image{}, refusal(writ.CodePathInvalid, "apply", e.Path, "%s is not a plain relative path", e.Path)
	}
	if a.o.Root.Forbidden(rel) {
		return placeOther, image{}, refusal(writ.CodeProtectedPath, "apply", rel, "%s can never be written", rel)
	}
	if err := a.o.Root.CheckTarget(rel); err != nil {
		return placeOther, image{}, err
	}
	now, err := onDisk(ctx, a.o.Root, rel, applyReadLimit)
	if writ.CodeOf(err) == writ.CodeTooLarge {
		return placeOther, image{}, nil
	}
	if err != nil {
		return placeOther, image{}, err
	}
	return placeOf(now, e), now, nil
}

// plan makes the entries of a pass from changes. What is stale or refused goes
// to out instead.
func (a *Applier) plan(ctx context.Context, changes []writ.Change, kind string, out *Outcome) (entries []store.ApplyEntry, err error) {
	for _, c := range changes {
		e := entryOf(c, kind)
		at, now, err := a.inspect(ctx, e)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			out.deny(c.Path, err)
		case at == placeOther:
			out.deny(c.Path, refusal(writ.CodeStaleFile, kind, c.Path, "%s changed since this task wrote it down", c.Path))
		case at == placeAfter:
			entries = append(entries, standing(e, now))
		default:
			entries = append(entries, presentMode(e, c, now.mode))
		}
	}
	slices.SortStableFunc(entries, func(a, b store.ApplyEntry) int {
		// Removals come last: the new path of a moved file is there before the
		// old one goes.
		if gone := boolOrder(a.AfterSHA256 == "", b.AfterSHA256 == ""); gone != 0 {
			return gone
		}
		return strings.Compare(a.Path, b.Path)
	})
	return entries, nil
}

// presentMode lets a file keep the mode that a person gave it meanwhile,
// unless the change is about the mode.
func presentMode(e store.ApplyEntry, c writ.Change, now fs.FileMode) store.ApplyEntry {
	if e.BeforeSHA256 == "" {
		return e
	}
	e.BeforeMode = now
	if e.AfterSHA256 != "" && c.Mode == c.BeforeMode {
		e.AfterMode = now
	}
	return e
}

// standing is the entry of a file that has the wanted content already: it is
// written by nobody and taken back by nobody.
func standing(e store.ApplyEntry, now image) store.ApplyEntry {
	e.BeforeSHA256, e.BeforeMode = now.sha, now.mode
	e.AfterSHA256, e.AfterMode = now.sha, now.mode
	e.Done = true
	return e
}

// noWrite reports whether an entry needs no write, forward or back: folders,
// which come and go with their files, and files that stood already.
func noWrite(e store.ApplyEntry) bool {
	return isFolder(e) || e.BeforeSHA256 == e.AfterSHA256 && e.BeforeMode == e.AfterMode
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// missingFolders lists the folders that writing the entries will make, the
// outermost first.
func (a *Applier) missingFolders(entries []store.ApplyEntry) ([]store.ApplyEntry, error) {
	seen := map[string]bool{}
	var folders []store.ApplyEntry
	for _, e := range entries {
		if e.AfterSHA256 == "" || e.Done {
			continue
		}
		for _, dir := range parents(e.Path) {
			if seen[dir] {
				continue
			}
			seen[dir] = true
			exists, _, _, _, err := a.o.Root.Stat(dir)
			if err != nil {
				return nil, err
			}
			if !exists {
				folders = append(folders, store.ApplyEntry{Path: dir, Op: opMakeFolder})
			}
		}
	}
	return folders, nil
}

// parents lists the folders above a path, the outermost first.
func parents(rel string) []string {
	var dirs []string
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		dirs = append([]string{dir}, dirs...)
	}
	return dirs
}
