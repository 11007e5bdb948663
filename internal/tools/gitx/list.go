package gitx

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/guard"
)

// maxFiles bounds a listing.
const maxFiles = 1_000_000

// Files lists what git would: tracked files that exist and untracked ones that
// are not ignored, relative to the workspace, sorted, with exact bytes. Left
// out are what .writignore files name (same syntax, added to git's), our own
// temporary files, nested repositories and all that is neither a regular file
// nor a link. Outside a repository, and where git fails, the ignore files
// alone decide.
//
// More than a million files are TOO_LARGE; a workspace that was moved away is
// PATH_OUTSIDE_WORKSPACE.
func (r *Repo) Files(ctx context.Context) ([]string, error) {
	if err := r.intact(); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	defer root.Close()
	names, err := r.listed(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	if names, err = r.present(ctx, root, names); err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	if len(names) > maxFiles {
		return nil, &writ.Error{Code: writ.CodeTooLarge, Op: "list files", Msg: fmt.Sprintf("the workspace has %d files, more than %d", len(names), maxFiles),
			Hint: "leave generated folders out with .gitignore or .writignore"}
	}
	return withoutWritignored(root, names), nil
}

// listed asks git, then git without the repository, then walks.
func (r *Repo) listed(ctx context.Context, root *os.Root) ([]string, error) {
	if r.git != nil && readableIgnores(root) {
		if r.Present() {
			names, err := r.lsFiles(ctx, "--cached", "--others")
			// A workspace that an outer repository ignores has no files in it.
			if err == nil && (len(names) > 0 || r.prefix == "") {
				return names, nil
			}
		}
		if names, err := r.lsScratch(ctx); err == nil {
			return names, nil
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return walk(ctx, root)
}

// readableIgnores reports whether git can open the workspace's own ignore file
// without waiting: a pipe of that name would hold it until the deadline.
func readableIgnores(root *os.Root) bool {
	info, err := root.Lstat(".gitignore")
	return err != nil || info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0
}

func (r *Repo) lsFiles(ctx context.Context, args ...string) ([]string, error) {
	args = append([]string{"ls-files", "-z", "--exclude-standard"}, args...)
	out, err := r.git.run(ctx, call{args: args})
	if err != nil {
		return nil, err
	}
	return split(out), nil
}

// lsScratch lists a folder that is no repository, through an empty repository
// elsewhere, so that git's own rules decide.
func (r *Repo) lsScratch(ctx context.Context) ([]string, error) {
	scratch, err := os.MkdirTemp("", "writ-git-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	for _, dir := range []string{"objects", "refs"} {
		if err := os.Mkdir(filepath.Join(scratch, dir), 0o700); err != nil {
			return nil, err
		}
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"} {
		if err := os.WriteFile(filepath.Join(scratch, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	out, err := r.git.run(ctx, call{args: []string{"--git-dir=" + scratch, "--work-tree=" + r.dir,
		"ls-files", "-z", "--exclude-standard", "--others"}})
	if err != nil {
		return nil, err
	}
	return split(out), nil
}

func split(out []byte) []string {
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 })
}

// present keeps what exists as a regular file or a link, once and sorted.
// Names with a trailing slash are nested repositories.
func (r *Repo) present(ctx context.Context, root *os.Root, names []string) ([]string, error) {
	slices.Sort(names)
	names = slices.Compact(names)
	kept := names[:0]
	for i, name := range names {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if strings.HasSuffix(name, "/") || guard.IsTemp(name) || throughGit(name) {
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(name))
		if err != nil || !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		kept = append(kept, name)
	}
	return kept, nil
}

// throughGit reports whether a name lies in a git folder.
func throughGit(name string) bool {
	return slices.Contains(strings.Split(name, "/"), ".git")
}

// withoutWritignored drops what .writignore files name, tracked or not.
func withoutWritignored(root *os.Root, names []string) []string {
	tree := newIgnoreTree(root, ".writignore")
	kept := names[:0]
	for _, name := range names {
		if !tree.ignored(name) {
			kept = append(kept, name)
		}
	}
	return kept
}

// walk lists a folder without git.
func walk(ctx context.Context, root *os.Root) ([]string, error) {
	tree := newIgnoreTree(root, ".gitignore")
	var names []string
	err := fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && name == ".":
			return err
		case err != nil:
			return nil // a folder that cannot be read holds nothing to show
		case name == ".":
			return nil
		case e.Name() == ".git":
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir():
			if _, err := root.Lstat(filepath.FromSlash(path.Join(name, ".git"))); err == nil || tree.matches(name, true) {
				return fs.SkipDir
			}
			return nil
		case tree.matches(name, false):
			return nil
		}
		if len(names) > maxFiles {
			return fs.SkipAll
		}
		names = append(names, name)
		return nil
	})
	return names, err
}
