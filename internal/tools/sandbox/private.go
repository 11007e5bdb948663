package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// private holds the folders that exist for one run: home, temporary files and,
// unless the caller keeps one, caches.
type private struct {
	root  string
	home  string
	temp  string
	cache string
}

func newPrivate(base, cache string) (*private, error) {
	root, err := os.MkdirTemp(base, "writ-run-")
	if err != nil {
		return nil, fmt.Errorf("make private folders: %w", err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, fmt.Errorf("make private folders: %w", err)
	}
	p := &private{root: root, home: filepath.Join(root, "home"), temp: filepath.Join(root, "tmp"), cache: cache}
	if cache == "" {
		p.cache = filepath.Join(root, "cache")
	} else if p.cache, err = filepath.Abs(cache); err != nil {
		return nil, fmt.Errorf("make private folders: %w", err)
	}
	for _, dir := range []string{p.home, p.temp, p.cache} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			p.remove()
			return nil, fmt.Errorf("make private folders: %w", err)
		}
	}
	if p.cache, err = filepath.EvalSymlinks(p.cache); err != nil {
		p.remove()
		return nil, fmt.Errorf("make private folders: %w", err)
	}
	return p, nil
}

// writable lists the folders that the command may write besides the tree.
func (p *private) writable() []string { return []string{p.root, p.cache} }

// own hands the folders and the tree over to the user that the command becomes.
func (p *private) own(uid int, treeDir string) error {
	if uid == 0 {
		return nil
	}
	for _, dir := range []string{p.root, p.cache, treeDir} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, uid, uid)
		})
		if err != nil {
			return fmt.Errorf("hand the copy to the command's user: %w", err)
		}
	}
	return nil
}

// remove deletes the folders. A command may have taken away its own rights to
// them (Go's module cache is read-only), so these are given back first.
func (p *private) remove() {
	if os.RemoveAll(p.root) == nil {
		return
	}
	_ = filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(p.root)
}
