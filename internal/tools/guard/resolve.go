package guard

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxLinks is how many links one path may pass, as Linux counts them.
const maxLinks = 40

// Resolve follows the links of a cleaned path and gives the path, free of
// links, that they lead to inside the workspace. A link that leads out is
// PATH_OUTSIDE_WORKSPACE, a circle PATH_INVALID, an absent part
// FILE_NOT_FOUND. What it returns may have changed by the time it is used, so
// it decides nothing about safety: os.Root does.
func (r *Root) Resolve(rel string) (string, error) {
	return r.resolve(rel, true)
}

// resolveParent follows the links of all components but the last.
func (r *Root) resolveParent(rel string) (string, error) {
	return r.resolve(rel, false)
}

func (r *Root) resolve(rel string, last bool) (string, error) {
	todo := strings.Split(rel, "/")
	var real []string
	for links := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(real) == 0 {
				return "", outside(rel, "leads out of the workspace through a link")
			}
			real = real[:len(real)-1]
			continue
		}
		here := path.Join(path.Join(real...), part)
		if len(todo) == 0 && !last {
			return here, nil
		}
		info, err := r.root.Lstat(filepath.FromSlash(here))
		if err != nil {
			return "", diskError("find", rel, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			real = append(real, part)
			continue
		}
		if links++; links > maxLinks {
			return "", invalid(rel, "is a circle of links", "")
		}
		target, abs, err := r.linkTarget(rel, here)
		if err != nil {
			return "", err
		}
		if abs {
			real = real[:0]
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return path.Join(real...), nil
}

// linkTarget reads a link. An absolute target that lies inside the workspace by
// its text is given from the workspace's root; any other leads out, also one
// into /proc that happens to lead back.
func (r *Root) linkTarget(rel, here string) (target string, abs bool, err error) {
	target, err = r.root.Readlink(filepath.FromSlash(here))
	if err != nil {
		return "", false, diskError("follow", rel, err)
	}
	if !filepath.IsAbs(target) {
		return filepath.ToSlash(target), false, nil
	}
	inside, ok := r.lexicallyInside(target)
	if !ok {
		return "", false, outside(rel, "leads out of the workspace through a link")
	}
	return inside, true, nil
}

// lexicallyInside gives the rest of an absolute path below one of the
// workspace's spellings; "." is the workspace itself.
func (r *Root) lexicallyInside(abs string) (string, bool) {
	for _, dir := range r.spell {
		if abs == dir {
			return ".", true
		}
		prefix := strings.TrimSuffix(dir, string(os.PathSeparator)) + string(os.PathSeparator)
		if rest, ok := strings.CutPrefix(abs, prefix); ok {
			return filepath.ToSlash(rest), true
		}
	}
	return "", false
}

// below gives the relative form of an absolute path that a model named. Apart
// from the workspace's own spellings it finds any other one by asking which
// folder on the way is the opened one. /proc and /dev are not asked: what they
// name depends on the process.
func (r *Root) below(abs string) (string, error) {
	for part := range strings.SplitSeq(filepath.ToSlash(abs), "/") {
		if part == ".." {
			return "", outside(abs, `is absolute and climbs with ".."`)
		}
	}
	abs = filepath.Clean(abs)
	if rest, ok := r.lexicallyInside(abs); ok {
		return rest, nil
	}
	refusal := outside(abs, "is outside the workspace")
	if strings.HasPrefix(abs, "/proc/") || strings.HasPrefix(abs, "/dev/") || strings.Count(abs, string(os.PathSeparator)) > maxComponents {
		return "", refusal
	}
	opened, err := r.root.Stat(".")
	if err != nil {
		return "", refusal
	}
	for dir := abs; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, opened) {
			rest, err := filepath.Rel(dir, abs)
			if err != nil {
				return "", refusal
			}
			return filepath.ToSlash(rest), nil
		}
		if dir == filepath.Dir(dir) {
			return "", refusal
		}
	}
}
