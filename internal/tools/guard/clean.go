package guard

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/writ-dev/writ"
)

// Clean judges a path by its name and gives its plain relative form, the only
// form that other methods take. An absolute path inside the workspace becomes
// relative. Refusals are PATH_OUTSIDE_WORKSPACE, PATH_INVALID and, for git's
// own folder in any disguise, PROTECTED_PATH, which is refused for reading
// too: its settings may hold credentials. Clean of what Clean returned is the
// same.
func (r *Root) Clean(p string) (rel string, err error) {
	if err := bounds(p); err != nil {
		return "", err
	}
	rel = p
	if filepath.IsAbs(p) || strings.HasPrefix(p, "/") {
		if strings.ContainsRune(p, 0) {
			return "", invalid(p, "has a control character", "")
		}
		if rel, err = r.below(p); err != nil {
			return "", err
		}
	}
	if rel, err = lexical(rel); err != nil {
		return "", err
	}
	if err := r.spelling(rel); err != nil {
		return "", err
	}
	return rel, nil
}

// spelling refuses a second spelling of an existing name: one that differs in
// case or Unicode form from what its folder lists, whether or not the file
// system takes the two for one.
func (r *Root) spelling(rel string) error {
	dir := "."
	for i, part := range strings.Split(rel, "/") {
		here := path.Join(dir, part)
		info, err := r.root.Lstat(filepath.FromSlash(here))
		if err != nil && !absent(err) {
			return diskError("look at", rel, err)
		}
		if err != nil || !r.tellsCaseApart(here, part, info) {
			if err := r.listed(rel, dir, part); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
		dir = here
		if info.Mode()&fs.ModeSymlink != 0 && i < strings.Count(rel, "/") {
			if dir, err = r.Resolve(here); err != nil {
				return absentIsNil(err)
			}
		}
		if inGit(dir) {
			return gitRefusal(rel)
		}
	}
	return nil
}

// tellsCaseApart reports whether the existing name is certainly spelled as its
// folder lists it: it is plain ASCII, and the same name with one letter's case
// turned is not the same file. It saves listing a folder for each path.
func (r *Root) tellsCaseApart(here, name string, info fs.FileInfo) bool {
	i := strings.IndexFunc(name, func(c rune) bool { return c < 0x80 && unicode.IsLetter(c) })
	if i < 0 || !ascii(name) || shortName(name) {
		return false
	}
	turned := name[:i] + string(name[i]^0x20) + name[i+1:]
	other, err := r.root.Lstat(filepath.FromSlash(path.Join(path.Dir(here), turned)))
	return err != nil || !os.SameFile(info, other)
}

// listed compares a name with what its folder lists.
func (r *Root) listed(rel, dir, name string) error {
	names, err := r.names(dir)
	if err != nil {
		return absentIsNil(diskError("list", rel, err))
	}
	key, twin := fold(name), ""
	for _, other := range names {
		if other == name {
			return nil
		}
		if len(other) <= 4*len(name) && fold(other) == key {
			twin = other
		}
	}
	switch {
	case twin != "" && r.policy.Forbidden(rel):
		return refuseForbidden(rel)
	case twin != "":
		if pattern, ok := r.policy.Protected(rel); ok {
			return refuseProtected(rel, pattern)
		}
		exact := path.Join(dir, twin)
		return invalid(rel, "is a second spelling of "+Show(exact), "use "+Show(exact))
	case shortName(name):
		return invalid(rel, "has the form of a Windows short name", "")
	}
	return nil
}

// names lists a folder.
func (r *Root) names(dir string) ([]string, error) {
	f, err := r.root.OpenFile(filepath.FromSlash(dir), os.O_RDONLY|nonblock|onlyDir, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func refuseForbidden(rel string) error {
	return &writ.Error{Code: writ.CodeProtectedPath, Path: rel, Msg: Show(rel) + " can never be written by a task",
		Hint: "leave it alone; nobody can approve it"}
}

func refuseProtected(rel, pattern string) error {
	return &writ.Error{Code: writ.CodeProtectedPath, Path: rel, Msg: Show(rel) + " is protected (" + pattern + ")"}
}
