package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/writ-dev/writ"
)

// Root is a workspace, opened once. All reads and writes of its files go
// through it and none leaves it; it goes on with the opened folder when the
// path is renamed or replaced. It is safe for concurrent use; writes to one
// path by two callers are ordered by the compare-and-swap, and one of them
// gets STALE_FILE.
type Root struct {
	root   *os.Root
	dir    string   // absolute, as it was given
	spell  []string // spellings of the folder that absolute paths may use
	policy *Policy
	steps  func(step string)
	fault  func(step string) error // a test's error in place of the step
}

// Option changes how a Root works.
type Option func(*Root)

// WithSteps calls fn before and after each step of Replace and Remove that
// changes the disk, with names such as "write:before" and "rename:after". A
// test kills its own process there; the call itself must not touch the file.
func WithSteps(fn func(step string)) Option {
	return func(r *Root) { r.steps = fn }
}

// OpenRoot opens the folder dir under a policy. It is an *writ.Error of code
// USAGE if dir is no folder. Close releases it.
func OpenRoot(dir string, p *Policy, opts ...Option) (*Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return nil, &writ.Error{Code: writ.CodeUsage, Op: "open workspace", Path: dir, Msg: Show(dir) + " is not a folder",
			Hint: "name an existing folder with -C", Err: err}
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	r := &Root{root: root, dir: abs, spell: []string{abs}, policy: p}
	if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
		r.spell = append(r.spell, real)
	}
	for _, opt := range opts {
		opt(r)
	}
	return r, nil
}

// Close releases the folder. The Root cannot be used after it.
func (r *Root) Close() error { return r.root.Close() }

// Dir returns the absolute path under which the workspace was opened. Another
// folder may stand there by now; see Intact.
func (r *Root) Dir() string { return r.dir }

// Intact reports whether Dir still names the folder that was opened. Programs
// that are given the path instead of the Root, such as git, would otherwise
// work on a substitute.
func (r *Root) Intact() bool {
	named, err := os.Stat(r.dir)
	if err != nil {
		return false
	}
	opened, err := r.root.Stat(".")
	return err == nil && os.SameFile(named, opened)
}

// Protected returns the pattern that protects the path, and whether one does.
func (r *Root) Protected(rel string) (pattern string, ok bool) { return r.policy.Protected(rel) }

// Forbidden reports whether nobody can approve a write to the path.
func (r *Root) Forbidden(rel string) bool { return r.policy.Forbidden(rel) }

// Secret reports whether the file is one that holds secrets by its name.
func (r *Root) Secret(rel string) bool { return r.policy.Secret(rel) }

// Accepted reports whether a file of this name may be created.
func (r *Root) Accepted(rel string) bool { return r.policy.Accepted(rel) }

// Stat tells what stands at a cleaned path, without following a link there.
// link is the target's text if it is one. An absent file is no error.
func (r *Root) Stat(rel string) (exists bool, mode fs.FileMode, isDir bool, link string, err error) {
	real, err := r.resolveParent(rel)
	if err != nil {
		return false, 0, false, "", absentIsNil(err)
	}
	info, err := r.root.Lstat(filepath.FromSlash(real))
	if err != nil {
		return false, 0, false, "", absentIsNil(diskError("look at", rel, err))
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		link, err = r.root.Readlink(filepath.FromSlash(real))
		if err != nil {
			return false, 0, false, "", diskError("look at", rel, err)
		}
	}
	return true, info.Mode(), info.IsDir(), link, nil
}

func absentIsNil(err error) error {
	if absent(err) || writ.CodeOf(err) == writ.CodeFileNotFound {
		return nil
	}
	return err
}

// absent reports whether the error says that nothing stands there.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || isNotDir(err) }
