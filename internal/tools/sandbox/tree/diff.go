package tree

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Diff is what changed between two snapshots; every list is sorted by path.
type Diff struct {
	Added   []File
	Changed []File // content, kind or permission bits
	Removed []File
	Dropped []string // folders of by-products, each named once with a final slash
}

// File is one path with its state before and after; the zero Entry stands for
// an absent file.
type File struct {
	Path   string
	Before Entry
	After  Entry
}

// Empty reports whether nothing changed, by-products aside.
func (d Diff) Empty() bool {
	return len(d.Added)+len(d.Changed)+len(d.Removed) == 0
}

// Compare returns what is different in after. The paths of keep are told as
// files even inside a folder of by-products: somebody planned them.
func (s *Snapshot) Compare(after *Snapshot, keep ...string) Diff {
	var d Diff
	dropped := make(map[string]bool)
	for name, now := range after.files {
		was, ok := s.files[name]
		switch {
		case !ok:
			if dir := s.newByproduct(name); dir != "" && !slices.Contains(keep, name) {
				dropped[dir+"/"] = true
				continue
			}
			d.Added = append(d.Added, File{Path: name, After: now})
		case was != now:
			d.Changed = append(d.Changed, File{Path: name, Before: was, After: now})
		}
	}
	for name := range after.dirs {
		if byproduct(path.Base(name)) && !s.dirs[name] && s.newByproduct(name) == "" {
			dropped[name+"/"] = true
		}
	}
	for name, was := range s.files {
		if _, ok := after.files[name]; !ok {
			d.Removed = append(d.Removed, File{Path: name, Before: was})
		}
	}
	for _, list := range [][]File{d.Added, d.Changed, d.Removed} {
		slices.SortFunc(list, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	}
	for dir := range dropped {
		d.Dropped = append(d.Dropped, dir)
	}
	slices.Sort(d.Dropped)
	return d
}

// newByproduct returns the outermost folder of by-products above name that did
// not exist before, or the empty string.
func (s *Snapshot) newByproduct(name string) string {
	for i, c := range name {
		if c != '/' {
			continue
		}
		dir := name[:i]
		if byproduct(path.Base(dir)) && !s.dirs[dir] {
			return dir
		}
	}
	return ""
}

// byproduct reports whether tools fill a folder of this name by themselves.
func byproduct(name string) bool {
	switch name {
	case "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox", ".hypothesis", ".eggs",
		"node_modules", ".npm", ".yarn", ".next", ".nuxt", ".turbo", ".parcel-cache", ".nyc_output", "coverage", ".vite",
		"target", ".gradle", "build", "dist", ".git", ".cache":
		return true
	}
	return strings.HasSuffix(name, ".egg-info")
}
