package guard

import (
	"context"
	"io/fs"
	"os"
	"path"
	"strings"
)

// CleanTemps deals with the temporary files that a killed process left: in the
// folders of the given cleaned paths, or in the whole workspace if there are
// none. What is ours is removed. What a person wrote, which a kill in the
// microseconds between exchange and comparison can leave, is put back where it
// belongs, or left alone if something newer stands there. The temporary file
// of a process that still lives is not touched.
func (r *Root) CleanTemps(ctx context.Context, rels ...string) error {
	if len(rels) == 0 {
		return r.cleanAll(ctx)
	}
	done := map[string]bool{}
	for _, rel := range rels {
		dir := path.Dir(rel)
		if done[dir] {
			continue
		}
		done[dir] = true
		if err := r.cleanFolder(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

// cleanAll walks the workspace, git's own folders left out.
func (r *Root) cleanAll(ctx context.Context) error {
	found := map[string]bool{}
	err := fs.WalkDir(r.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil // a folder that cannot be read holds nothing of ours
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case !e.IsDir() && IsTemp(name):
			found[path.Dir(name)] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	for dir := range found {
		if err := r.cleanFolder(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

func (r *Root) cleanFolder(ctx context.Context, dir string) error {
	d, _, err := r.enter(path.Join(dir, "x"), false)
	if err != nil {
		return absentIsNil(diskError("clean", dir, err))
	}
	defer d.Close()
	release, err := lockDir(ctx, d.root)
	if err != nil {
		return writeError("clean", dir, err)
	}
	defer release()
	names, err := r.names(dir)
	if err != nil {
		return absentIsNil(diskError("clean", dir, err))
	}
	for _, name := range names {
		if t, ok := parseTemp(name); ok {
			if err := d.clean(ctx, name, t); err != nil {
				return writeError("clean", path.Join(dir, name), err)
			}
		}
	}
	return nil
}

// clean judges one leftover by its kind and its content.
func (d *folder) clean(ctx context.Context, name string, t temp) error {
	if d.inUse(name) {
		return nil
	}
	if t.kind == tempWriting {
		return absentOrNil(d.root.Remove(name))
	}
	sum, info, err := d.state(ctx, name)
	if err != nil || info == nil {
		return absentIsNil(err)
	}
	if strings.HasPrefix(sum, t.base) || t.kind == tempSwap && strings.HasPrefix(sum, t.new) {
		return absentOrNil(d.root.Remove(name))
	}
	if t.kind == tempDelete {
		moveNew(d.root, name, t.name) // a newer file of that name stays
		return nil
	}
	now, _, err := d.state(ctx, t.name)
	if err != nil || !strings.HasPrefix(now, t.new) {
		return nil
	}
	if err := exchange(d.root, name, t.name); err != nil {
		return nil
	}
	return absentOrNil(d.root.Remove(name))
}

// inUse reports whether a living process holds the file.
func (d *folder) inUse(name string) bool {
	f, err := d.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return !lockFile(f)
}

func absentOrNil(err error) error {
	if absent(err) {
		return nil
	}
	return err
}
