package tree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxEntries bounds a snapshot: a command that makes more files than this is
// not building anything.
const maxEntries = 500_000

// Unreadable stands in place of a hash where the command took our right to read.
const Unreadable = "unreadable"

// Entry is one file, link or special file. Folders have no entry of their own.
type Entry struct {
	SHA256 string      // of a regular file's bytes, or of a link's target
	Mode   fs.FileMode // type and permission bits
	Size   int64
}

// Snapshot is the state of a folder. It is immutable.
type Snapshot struct {
	files map[string]Entry
	dirs  map[string]bool
}

// Files returns how many entries the snapshot holds.
func (s *Snapshot) Files() int { return len(s.files) }

// Entry returns what stood at a slash-separated path.
func (s *Snapshot) Entry(path string) (Entry, bool) {
	e, ok := s.files[path]
	return e, ok
}

// Take reads the folder. It opens regular files only, so a named pipe cannot
// stall it, and follows no link.
func Take(ctx context.Context, dir string) (*Snapshot, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the tree: %w", err)
	}
	defer func() { _ = root.Close() }()
	s := &Snapshot{files: make(map[string]Entry), dirs: make(map[string]bool)}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, path)
		if relErr != nil || ctx.Err() != nil {
			return cmp.Or(relErr, context.Cause(ctx))
		}
		name := filepath.ToSlash(rel)
		if err != nil {
			return s.locked(name, d, err)
		}
		if rel == "." {
			return nil
		}
		if d.IsDir() {
			s.dirs[name] = true
			if d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		if len(s.files) >= maxEntries {
			return fmt.Errorf("more than %d files", maxEntries)
		}
		s.files[name], err = look(root, rel, d)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// locked records a folder that the command made unreadable for us: what was
// below it then counts as removed, and the folder as added.
func (s *Snapshot) locked(name string, d fs.DirEntry, err error) error {
	if d == nil || name == "." || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	s.files[name] = Entry{SHA256: Unreadable, Mode: fs.ModeDir}
	return fs.SkipDir
}

// look describes one entry.
func look(root *os.Root, rel string, d fs.DirEntry) (Entry, error) {
	fi, err := d.Info()
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Mode: fi.Mode(), Size: fi.Size()}
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(rel)
		if err != nil {
			return Entry{}, err
		}
		sum := sha256.Sum256([]byte(target))
		e.SHA256 = hex.EncodeToString(sum[:])
	case fi.Mode().IsRegular():
		f, err := root.Open(rel)
		if errors.Is(err, fs.ErrPermission) {
			e.SHA256 = Unreadable
			return e, nil
		}
		if err != nil {
			return Entry{}, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return Entry{}, err
		}
		e.SHA256 = hex.EncodeToString(h.Sum(nil))
	}
	return e, nil
}
