package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
)

// Replace writes content as the whole of a cleaned path in one step. base is
// the hash of the content that it replaces; the empty string demands that
// nothing stands there, and makes the folders on the way. A mode of zero keeps
// the permission bits of the file, or gives a new one what the umask leaves of
// 0666; any other mode is set exactly.
//
// A difference from base is STALE_FILE and changes nothing. On any error the
// old content is whole, no temporary file is left, and folders that were made
// are removed again; only when the last step fails, which brings the folder to
// the disk, may either content be what a power cut leaves. Full disks,
// read-only file systems and missing rights are INTERNAL with one clear line.
func (r *Root) Replace(ctx context.Context, rel string, content []byte, mode fs.FileMode, base string) error {
	if err := plain(rel); err != nil {
		return err
	}
	if err := r.CheckTarget(rel); err != nil {
		return err
	}
	d, name, err := r.enter(rel, base == "")
	if err != nil {
		if base != "" && absent(err) {
			return stale(rel)
		}
		return writeError("write", rel, err)
	}
	defer d.Close()
	w := &writing{folder: d, name: name, path: rel, base: base, after: Hash(content)}
	if err := w.replace(ctx, content, mode); err != nil {
		d.unmake()
		return writeError("write", rel, err)
	}
	return nil
}

// writing is one compare-and-swap in an opened folder.
type writing struct {
	*folder
	name, path  string
	base, after string
	temp        temp
}

// replace writes the temporary file beside the target and publishes it.
func (w *writing) replace(ctx context.Context, content []byte, mode fs.FileMode) error {
	sum, old, err := w.state(ctx, w.name)
	if err != nil {
		return err
	}
	if sum != w.base {
		return stale(w.path)
	}
	f, err := w.create()
	if err != nil {
		return err
	}
	defer f.Close()
	if err = w.fill(f, content, mode, old); err == nil {
		err = w.alone(ctx, w.publish)
	}
	if err != nil {
		return errors.Join(err, w.discard())
	}
	return w.r.do("syncdir", func() error { return syncDir(w.root) })
}

// create makes the temporary file. It is locked while we live, so that no
// other process takes it for a leftover.
func (w *writing) create() (f *os.File, err error) {
	w.temp = newTemp(tempWriting, w.base, w.after, w.name)
	err = w.r.do("create", func() error {
		f, err = w.root.OpenFile(w.temp.String(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
	if err != nil {
		if f != nil {
			f.Close()
		}
		return nil, err
	}
	lockFile(f)
	return f, nil
}

// fill brings content, owner and mode to the disk before the name changes.
func (w *writing) fill(f *os.File, content []byte, mode fs.FileMode, old fs.FileInfo) error {
	err := w.r.do("write", func() error {
		_, err := f.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	err = w.r.do("chmod", func() error {
		if old != nil {
			keepOwner(f, old)
			if mode.Perm() == 0 {
				mode = old.Mode()
			}
		}
		if mode.Perm() == 0 {
			return nil
		}
		return f.Chmod(mode.Perm())
	})
	if err != nil {
		return err
	}
	return w.r.do("sync", f.Sync)
}

// alone runs what must not interleave with another writer of ours. Once it
// has begun it does not end with the context: half an exchange helps nobody.
func (w *writing) alone(ctx context.Context, act func(context.Context) error) error {
	release, err := lockDir(ctx, w.root)
	if err != nil {
		return err
	}
	defer release()
	return act(context.WithoutCancel(ctx))
}

// publish gives the temporary file its name.
func (w *writing) publish(ctx context.Context) error {
	if w.base == "" {
		return w.publishNew()
	}
	if w.temp.name == "" {
		return w.overwrite(ctx)
	}
	sealed := w.temp.as(tempSwap)
	err := w.r.do("seal", func() error { return w.root.Rename(w.temp.String(), sealed.String()) })
	if err != nil {
		return err
	}
	w.temp = sealed
	err = w.r.do("rename", func() error { return exchange(w.root, w.temp.String(), w.name) })
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return w.overwrite(ctx)
	case errors.Is(err, fs.ErrNotExist):
		return stale(w.path)
	case err != nil:
		return err
	}
	var sum string
	err = w.r.do("verify", func() error {
		sum, _, err = w.state(ctx, w.temp.String())
		return err
	})
	if err != nil || sum != w.base {
		return w.putBack(ctx, sum)
	}
	if err := w.r.do("discard", w.discard); err != nil {
		// The old content cannot be let go of: it stays in its place.
		return errors.Join(err, exchange(w.root, w.temp.String(), w.name))
	}
	return nil
}

// publishNew gives the temporary file a name that must be free.
func (w *writing) publishNew() error {
	err := w.r.do("rename", func() error {
		err := moveNew(w.root, w.temp.String(), w.name)
		if errors.Is(err, errors.ErrUnsupported) {
			err = w.linkNew()
		}
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return stale(w.path)
	}
	return err
}

// linkNew is publishNew without the system's help: a hard link fails on a name
// that is taken. Where there are none either, a look and a rename must do.
func (w *writing) linkNew() error {
	err := w.root.Link(w.temp.String(), w.name)
	if err == nil {
		return w.root.Remove(w.temp.String())
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := w.root.Lstat(w.name); !errors.Is(err, fs.ErrNotExist) {
		return fs.ErrExist
	}
	return w.root.Rename(w.temp.String(), w.name)
}

// overwrite publishes where two names cannot be exchanged: the hash is read
// once more right before the rename, which leaves a window of microseconds.
func (w *writing) overwrite(ctx context.Context) error {
	return w.r.do("rename", func() error {
		sum, _, err := w.state(ctx, w.name)
		if err != nil {
			return err
		}
		if sum != w.base {
			return stale(w.path)
		}
		return w.root.Rename(w.temp.String(), w.name)
	})
}

// putBack restores what came out of the exchange and was not what the caller
// built on. What comes out now should be ours; if it is not, a person saved
// again meanwhile, and the newest save is the one to keep.
func (w *writing) putBack(ctx context.Context, out string) error {
	placed := w.after
	for range 5 {
		err := exchange(w.root, w.temp.String(), w.name)
		if errors.Is(err, fs.ErrNotExist) {
			if err = moveNew(w.root, w.temp.String(), w.name); err == nil {
				return stale(w.path)
			}
		}
		if err != nil {
			break
		}
		got, _, _ := w.state(ctx, w.temp.String())
		if got == placed {
			return errors.Join(stale(w.path), w.discard())
		}
		placed, out = out, got
	}
	left := w.temp.String()
	w.temp = temp{}
	e := stale(w.path)
	e.Hint = "a version that was saved meanwhile is kept in " + Show(path.Join(w.rel, left))
	return e
}

// discard removes the temporary file, if one is left.
func (w *writing) discard() error {
	if w.temp == (temp{}) {
		return nil
	}
	err := w.root.Remove(w.temp.String())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
