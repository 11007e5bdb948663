package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/writ-dev/writ"
)

// folder is a folder of the workspace, opened without passing any link.
type folder struct {
	r    *Root
	root *os.Root
	rel  string
	made []string // folders that were made on the way, outermost first
}

// enter opens the folder that holds rel, and gives the name in it. Each
// component is opened and then compared with what its name says now: os.Root
// alone would follow a link that stays inside, and a name swapped for a link
// to .git in between would lead a write there.
func (r *Root) enter(rel string, create bool) (*folder, string, error) {
	dir, name := path.Split(rel)
	root, err := r.root.OpenRoot(".")
	if err != nil {
		return nil, "", err
	}
	d := &folder{r: r, root: root, rel: path.Clean(dir)}
	for i, part := range splitDir(d.rel) {
		here := path.Join(splitDir(d.rel)[:i+1]...)
		next, err := d.step(rel, here, part, create)
		if err != nil {
			d.unmake()
			d.Close()
			return nil, "", err
		}
		d.root.Close()
		d.root = next
	}
	return d, name, nil
}

func splitDir(dir string) []string {
	if dir == "." {
		return nil
	}
	return strings.Split(dir, "/")
}

// step opens one component below the folder that is open.
func (d *folder) step(rel, here, part string, create bool) (*os.Root, error) {
	next, err := d.root.OpenRoot(part)
	if create && errors.Is(err, fs.ErrNotExist) {
		err = d.r.do("mkdir", func() error { return d.root.Mkdir(part, 0o777) })
		if err == nil {
			d.made = append(d.made, here)
			err = syncDir(d.root)
		}
		if err == nil || errors.Is(err, fs.ErrExist) {
			next, err = d.root.OpenRoot(part)
		}
	}
	if isNotDir(err) {
		return nil, invalid(rel, "has the file "+Show(here)+" where a folder would have to be", "")
	}
	if err != nil {
		return nil, err
	}
	named, err := d.root.Lstat(part)
	if err == nil {
		var opened fs.FileInfo
		if opened, err = next.Stat("."); err == nil && !os.SameFile(named, opened) {
			err = invalid(rel, "passes the link "+Show(here), "name a path without links")
		}
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// Close releases the folder.
func (d *folder) Close() { d.root.Close() }

// unmake removes the folders that were made on the way and are still empty.
func (d *folder) unmake() {
	for i := len(d.made) - 1; i >= 0; i-- {
		if d.r.rmdir(d.made[i]) != nil {
			return
		}
	}
}

// state returns the hash and the metadata of the regular file name, an empty
// hash and nil where nothing stands.
func (d *folder) state(ctx context.Context, name string) (string, fs.FileInfo, error) {
	rel := path.Join(d.rel, name)
	named, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err == nil {
		err = regular(rel, named)
	}
	if err != nil {
		return "", nil, err
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", nil, err
	}
	if !os.SameFile(named, info) {
		return "", nil, stale(rel)
	}
	sum, err := hashOf(ctx, f)
	return sum, info, err
}

// RemoveEmptyDirs removes the empty folders above a cleaned path, innermost
// first, up to the first that holds something. A caller that created them asks
// for it when it takes its file back.
func (r *Root) RemoveEmptyDirs(rel string) error {
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if err := r.rmdir(dir); err != nil {
			if notEmpty(err) || absent(err) {
				return nil
			}
			return writeError("remove", dir, err)
		}
	}
	return nil
}

// rmdir removes an empty folder and nothing else.
func (r *Root) rmdir(rel string) error {
	d, name, err := r.enter(rel, false)
	if err != nil {
		return err
	}
	defer d.Close()
	return removeDir(d.root, name)
}

func stale(rel string) *writ.Error {
	return &writ.Error{Code: writ.CodeStaleFile, Path: rel, Msg: Show(rel) + " changed since it was read"}
}

// plain refuses what Clean would not have returned: a caller's mistake must
// not become a write.
func plain(rel string) error {
	clean, err := lexical(rel)
	if err != nil {
		return err
	}
	if clean != rel || filepath.IsAbs(rel) {
		return invalid(rel, "is not a cleaned path", "")
	}
	return nil
}

// do runs one step of a write between the two calls of the seam.
func (r *Root) do(step string, act func() error) error {
	if r.steps != nil {
		r.steps(step + ":before")
	}
	if r.fault != nil {
		if err := r.fault(step); err != nil {
			return err
		}
	}
	if err := act(); err != nil {
		return err
	}
	if r.steps != nil {
		r.steps(step + ":after")
	}
	return nil
}
