package guard

import (
	"context"
	"errors"
	"io/fs"
	"path"
)

// Remove removes the regular file at a cleaned path whose content has the hash
// base. A difference, an absent file too, is STALE_FILE and changes nothing.
func (r *Root) Remove(ctx context.Context, rel, base string) error {
	if err := plain(rel); err != nil {
		return err
	}
	if err := r.CheckTarget(rel); err != nil {
		return err
	}
	d, name, err := r.enter(rel, false)
	if err != nil {
		if absent(err) {
			return stale(rel)
		}
		return writeError("remove", rel, err)
	}
	defer d.Close()
	w := &writing{folder: d, name: name, path: rel, base: base}
	return writeError("remove", rel, w.alone(ctx, w.remove))
}

// remove takes the file aside, looks at what it holds, and only then lets go
// of it.
func (w *writing) remove(ctx context.Context) error {
	sum, _, err := w.state(ctx, w.name)
	if err != nil {
		return err
	}
	if sum == "" || sum != w.base {
		return stale(w.path)
	}
	aside := newTemp(tempDelete, w.base, "", w.name)
	err = errors.ErrUnsupported
	if aside.name != "" {
		err = w.r.do("rename", func() error { return moveNew(w.root, w.name, aside.String()) })
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		err = w.r.do("discard", func() error { return w.root.Remove(w.name) })
	case errors.Is(err, fs.ErrNotExist):
		return stale(w.path)
	case err == nil:
		err = w.removeAside(ctx, aside)
	}
	if err != nil {
		return err
	}
	return w.r.do("syncdir", func() error { return syncDir(w.root) })
}

func (w *writing) removeAside(ctx context.Context, aside temp) error {
	var sum string
	err := w.r.do("verify", func() (err error) {
		sum, _, err = w.state(ctx, aside.String())
		return err
	})
	if err == nil && sum == w.base {
		w.temp = aside
		if err = w.r.do("discard", w.discard); err == nil {
			return nil
		}
		// The content cannot be let go of: the file stays, as before.
		return errors.Join(err, moveNew(w.root, aside.String(), w.name))
	}
	e := stale(w.path)
	if moveNew(w.root, aside.String(), w.name) != nil {
		e.Hint = "a version that was saved meanwhile is kept in " + Show(path.Join(w.rel, aside.String()))
	}
	return e
}
