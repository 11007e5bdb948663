package staging

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
)

// copyLimit bounds one file that is copied into a materialised tree, in bytes.
const copyLimit = 256 << 20

// list is what git would list with the staged changes laid over, sorted.
func (o *Overlay) list(ctx context.Context) ([]string, error) {
	files, err := o.o.List(ctx)
	if err != nil {
		return nil, err
	}
	have := make(map[string]bool, len(files))
	for _, rel := range files {
		have[rel] = true
	}
	for rel, c := range o.snapshot() {
		if c.Status != writ.ChangeStaged {
			continue
		}
		if c.AfterSHA256 == "" {
			delete(have, rel)
		} else {
			have[rel] = true
		}
	}
	return slices.Sorted(maps.Keys(have)), nil
}

// Materialise makes the staged tree in the folder dir, which it makes if it is
// not there: the given workspace files (nil: all that git would list) with the
// staged changes laid over, modes kept. A link that leads to a place inside the
// workspace is made again as a link; links that lead out, and everything that
// is neither file nor link, stay out, as do files that vanished since they were
// listed. The tree shares no storage with the workspace, so nothing done to it
// reaches there.
func (o *Overlay) Materialise(ctx context.Context, dir string, files []string) error {
	if files == nil {
		var err error
		if files, err = o.o.List(ctx); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the tree's folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the tree's folder: %w", err)
	}
	defer root.Close()
	manifest := o.snapshot()
	for _, rel := range files {
		if c, ok := manifest[rel]; ok && c.Status == writ.ChangeStaged {
			continue
		}
		if err := o.copyOut(ctx, root, rel); err != nil {
			return fmt.Errorf("copy %s: %w", rel, err)
		}
	}
	for _, rel := range slices.Sorted(maps.Keys(manifest)) {
		c := manifest[rel]
		if c.Status != writ.ChangeStaged || c.AfterSHA256 == "" {
			continue
		}
		img, err := stored(ctx, o.o.Store, c.AfterSHA256, c.Mode)
		if err != nil {
			return err
		}
		if err := lay(root, rel, img); err != nil {
			return fmt.Errorf("lay %s: %w", rel, err)
		}
	}
	return nil
}

// copyOut copies one workspace file or link into the tree.
func (o *Overlay) copyOut(ctx context.Context, root *os.Root, rel string) error {
	exists, _, isDir, link, err := o.o.Root.Stat(rel)
	if err != nil || !exists || isDir {
		return passOver(err)
	}
	if link != "" {
		return layLink(root, rel, link)
	}
	img, err := onDisk(ctx, o.o.Root, rel, copyLimit)
	if err != nil || !img.exists() {
		return passOver(err)
	}
	return lay(root, rel, img)
}

// passOver forgives what the guard refuses to read, such as a FIFO or a link
// swapped in meanwhile: it is no part of the tree.
func passOver(err error) error {
	switch writ.CodeOf(err) {
	case writ.CodePathInvalid, writ.CodePathOutside, writ.CodeProtectedPath, writ.CodeFileNotFound:
		return nil
	default:
		return err
	}
}

func lay(root *os.Root, rel string, img image) error {
	if err := root.MkdirAll(path.Dir(rel), 0o755); err != nil {
		return err
	}
	if err := root.WriteFile(rel, img.content, img.mode|0o600); err != nil {
		return err
	}
	return root.Chmod(rel, img.mode|0o600) // whatever the umask took
}

// layLink makes a relative link whose target is a name inside the tree. The
// target is cleaned first: a ".." behind a name could lead out through a link.
func layLink(root *os.Root, rel, target string) error {
	target = path.Clean(target)
	if path.IsAbs(target) || !within(path.Join(path.Dir(rel), target)) {
		return nil
	}
	if err := root.MkdirAll(path.Dir(rel), 0o755); err != nil {
		return err
	}
	if err := root.Symlink(target, rel); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// within reports whether a joined path stays below the folder it began in.
func within(rel string) bool { return rel != ".." && !strings.HasPrefix(rel, "../") }
