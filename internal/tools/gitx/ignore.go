package gitx

import (
	"bytes"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/writ-dev/writ/internal/tools/guard/glob"
)

// maxIgnoreFile bounds one ignore file, in bytes.
const maxIgnoreFile = 1 << 20

// ignoreTree answers by the ignore files of one name in a tree. It reads each
// once. It is not safe for concurrent use.
type ignoreTree struct {
	root    *os.Root
	file    string
	rules   map[string][]ignoreRule // by folder, "." for the top
	folders map[string]bool         // whether a folder is ignored
}

type ignoreRule struct {
	glob   glob.Pattern
	negate bool
}

func newIgnoreTree(root *os.Root, file string) *ignoreTree {
	return &ignoreTree{root: root, file: file, rules: map[string][]ignoreRule{}, folders: map[string]bool{}}
}

// ignored reports whether a file is ignored itself or lies in an ignored
// folder, which nothing below can take back.
func (t *ignoreTree) ignored(rel string) bool {
	return t.inIgnored(path.Dir(rel)) || t.matches(rel, false)
}

func (t *ignoreTree) inIgnored(dir string) bool {
	if dir == "." {
		return false
	}
	known, ok := t.folders[dir]
	if !ok {
		known = t.inIgnored(path.Dir(dir)) || t.matches(dir, true)
		t.folders[dir] = known
	}
	return known
}

// matches reports what the rules say of the path alone. The nearest file with
// a matching line decides, and in it the last such line.
func (t *ignoreTree) matches(rel string, dir bool) bool {
	for base := path.Dir(rel); ; base = path.Dir(base) {
		below := rel
		if base != "." {
			below = rel[len(base)+1:]
		}
		rules := t.in(base)
		for i := len(rules) - 1; i >= 0; i-- {
			if rules[i].glob.Match(below, dir) {
				return !rules[i].negate
			}
		}
		if base == "." {
			return false
		}
	}
}

// in returns the rules of one folder.
func (t *ignoreTree) in(dir string) []ignoreRule {
	rules, ok := t.rules[dir]
	if !ok {
		rules = parseIgnore(t.read(path.Join(dir, t.file)))
		t.rules[dir] = rules
	}
	return rules
}

// read gives an ignore file's bytes. Git follows no link here, and neither do
// we; a pipe would hold us.
func (t *ignoreTree) read(rel string) []byte {
	name := filepath.FromSlash(rel)
	info, err := t.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := t.root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return text
}

// parseIgnore reads the lines of an ignore file as git does. A line that is no
// pattern is skipped.
func parseIgnore(text []byte) []ignoreRule {
	var rules []ignoreRule
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range bytes.Lines(text) {
		s := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		s = trimBlanks(s)
		if s == "" || s[0] == '#' {
			continue
		}
		s, negate := strings.CutPrefix(s, "!")
		p, err := glob.Compile(s)
		if err != nil {
			continue
		}
		rules = append(rules, ignoreRule{p, negate})
	}
	return rules
}

// trimBlanks cuts trailing blanks that no backslash guards.
func trimBlanks(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			end = i + 1
		case s[i] != ' ':
			end = i + 1
		}
	}
	return s[:end]
}
