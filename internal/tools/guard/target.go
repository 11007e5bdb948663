package guard

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/writ-dev/writ"
)

// CheckTarget judges whether a cleaned path can be written where it stands: no
// component is a link, each folder on the way is a folder and belongs to no
// other repository, and the file is regular or absent. A hard-linked file
// passes, since a write makes a new file. The answer may be old by the time of
// the write, which judges again.
func (r *Root) CheckTarget(rel string) error {
	parts := strings.Split(rel, "/")
	for i, part := range parts {
		here := path.Join(path.Join(parts[:i]...), part)
		info, err := r.root.Lstat(filepath.FromSlash(here))
		if absent(err) {
			return nil
		}
		if err != nil {
			return diskError("look at", rel, err)
		}
		switch mode := info.Mode(); {
		case mode&fs.ModeSymlink != 0:
			return r.linkRefusal(rel, here, strings.Join(parts[i+1:], "/"))
		case i == len(parts)-1:
			return regular(rel, info)
		case !mode.IsDir():
			return invalid(rel, "has the file "+Show(here)+" where a folder would have to be", "")
		}
		if err := r.foreign(rel, here); err != nil {
			return err
		}
	}
	return nil
}

// linkRefusal names the path to use instead of one that passes a link.
func (r *Root) linkRefusal(rel, link, rest string) error {
	real, err := r.Resolve(link)
	switch {
	case absent(err) || writ.CodeOf(err) == writ.CodeFileNotFound:
		return invalid(rel, "passes the link "+Show(link)+", which leads nowhere", "name a path without links")
	case err != nil:
		return diskError("follow", rel, err)
	}
	target := path.Join(real, rest)
	if inGit(target) {
		return gitRefusal(rel)
	}
	return invalid(rel, "passes the link "+Show(link), "name the target instead: "+Show(target))
}

// foreign refuses a folder that is a repository of its own: a nested clone, a
// submodule, a linked work tree, or a bare repository, whose settings git obeys
// as soon as a person runs it there.
func (r *Root) foreign(rel, dir string) error {
	if _, err := r.root.Lstat(filepath.FromSlash(path.Join(dir, ".git"))); err == nil {
		return invalid(rel, "belongs to another repository, "+Show(dir), "run writ in that repository")
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := r.root.Lstat(filepath.FromSlash(path.Join(dir, name))); err != nil {
			return nil
		}
	}
	return &writ.Error{Code: writ.CodeProtectedPath, Path: rel, Msg: Show(rel) + " is inside a bare git repository, " + Show(dir),
		Hint: "leave the repository's own files alone"}
}
