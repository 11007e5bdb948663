package guard

import (
	_ "embed"
	"fmt"
	"path"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/guard/glob"
)

//go:embed protected.txt
var protectedList string

//go:embed secret.txt
var secretList string

//go:embed names.txt
var nameList string

// PolicyOptions are what configuration may add. Nothing here shortens a
// built-in list.
type PolicyOptions struct {
	// Protected are more patterns, written as in .gitignore. A leading "!" is
	// refused, and so is a pattern that can never match.
	Protected []string
	// FileNames are more names that may be created without an extension or
	// with a leading dot.
	FileNames []string
}

// Policy judges names, without looking at a disk. It is immutable and safe for
// concurrent use.
type Policy struct {
	protected ruleset
	added     ruleset
	secret    ruleset
	open      ruleset // taken out of secret
	names     ruleset
}

// NewPolicy compiles the built-in lists and the additions. An addition that
// cannot be used is an *writ.Error of code CONFIG that names the field.
func NewPolicy(o PolicyOptions) (*Policy, error) {
	p := &Policy{}
	for _, l := range []struct {
		text string
		set  *ruleset
		open *ruleset
	}{{protectedList, &p.protected, nil}, {secretList, &p.secret, &p.open}, {nameList, &p.names, nil}} {
		if err := l.set.load(l.text, l.open); err != nil {
			return nil, fmt.Errorf("built-in list: %w", err)
		}
	}
	for _, l := range []struct {
		field    string
		patterns []string
		set      *ruleset
	}{{"governance.protected", o.Protected, &p.added}, {"governance.file_names", o.FileNames, &p.names}} {
		for _, pattern := range l.patterns {
			if err := addition(pattern, l.set); err != nil {
				return nil, &writ.Error{Code: writ.CodeConfig, Op: l.field, Msg: err.Error(),
					Hint: "write it as a line of .gitignore, without \"!\"", Err: err}
			}
		}
	}
	return p, nil
}

// addition adds one pattern of the configuration.
func addition(pattern string, set *ruleset) error {
	switch {
	case strings.HasPrefix(pattern, "!"):
		return fmt.Errorf("%q would take something out of the list, which can only grow", pattern)
	case strings.HasPrefix(pattern, "~"), strings.Contains(pattern, `\`), len(pattern) > 1 && pattern[1] == ':':
		return fmt.Errorf("%q can never match: a path of the workspace is relative and has slashes", pattern)
	}
	if rest, ok := strings.CutPrefix(pattern, "./"); ok {
		pattern = "/" + rest
	}
	return set.add(pattern)
}

// Protected returns the pattern that protects the path, and whether one does.
// Case, Unicode form and code points without a glyph make no difference, and
// neither does whether the file exists.
func (p *Policy) Protected(rel string) (pattern string, ok bool) {
	rel = foldPolicy(rel)
	for part := range strings.SplitSeq(rel, "/") {
		if disguisedGit(part) {
			return ".git", true
		}
	}
	if pattern, ok = p.protected.find(rel); ok {
		return pattern, true
	}
	return p.added.find(rel)
}

// Forbidden reports whether nobody can approve a write there: git's own folder
// at any depth, and Writ's own folder and configuration at the root.
func (p *Policy) Forbidden(rel string) bool {
	rel = foldPolicy(rel)
	first, _, _ := strings.Cut(rel, "/")
	if first == ".writ" || rel == "writ.yaml" || rel == "writ.yml" {
		return true
	}
	return inGit(rel)
}

// inGit reports whether a component of the path is git's own folder.
func inGit(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		if disguisedGit(part) {
			return true
		}
	}
	return false
}

// Secret reports whether the file is one that holds secrets by its name.
func (p *Policy) Secret(rel string) bool {
	rel = foldPolicy(rel)
	if _, ok := p.secret.find(rel); !ok {
		return false
	}
	_, open := p.open.find(path.Base(rel))
	return !open
}

// Accepted reports whether a file of this name may be created: it has an
// extension and no leading dot, or it is on the list of names.
func (p *Policy) Accepted(rel string) bool {
	rel = foldPolicy(rel)
	base := path.Base(rel)
	if i := strings.LastIndexByte(base, '.'); i > 0 && base[0] != '.' && i < len(base)-1 {
		return true
	}
	return p.names.named(rel, base)
}

// ruleset is a list of patterns with an index over those that are plain names
// or end in "/" or begin with "*.": nearly all of them.
type ruleset struct {
	names    map[string]string // a name of a file or folder, to its pattern
	files    map[string]string // a name of a file only
	suffixes map[string]string // "*.pem", by the last extension
	rest     []rule
}

type rule struct {
	glob   glob.Pattern
	source string
}

// load reads a built-in list. A line that begins with "!" goes to open.
func (s *ruleset) load(text string, open *ruleset) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '!' && open != nil:
			if err := open.add(line[1:]); err != nil {
				return err
			}
		case line[0] == '=':
			if s.files == nil {
				s.files = map[string]string{}
			}
			s.files[foldPolicy(line[1:])] = line[1:]
		default:
			if err := s.add(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// add compiles one pattern. A folder pattern counts as its folder and all that
// lies below, so the name alone is indexed.
func (s *ruleset) add(source string) error {
	p, err := glob.Compile(foldPolicy(source))
	if err != nil {
		return err
	}
	if s.names == nil {
		s.names, s.suffixes = map[string]string{}, map[string]string{}
	}
	if name, ok := p.Literal(); ok {
		s.names[name] = source
		return nil
	}
	if ext, ok := strings.CutPrefix(foldPolicy(source), "*"); ok && strings.LastIndexByte(ext, '.') == 0 && !strings.ContainsAny(ext, `*?[\/`) {
		s.suffixes[ext] = source
		return nil
	}
	s.rest = append(s.rest, rule{p, source})
	return nil
}

// find returns the pattern that covers a folded path: the path itself or a
// folder above it.
func (s *ruleset) find(rel string) (string, bool) {
	if source, ok := s.files[path.Base(rel)]; ok {
		return source, true
	}
	for part := range strings.SplitSeq(rel, "/") {
		if source, ok := s.names[part]; ok {
			return source, true
		}
		if source, ok := s.suffixes[path.Ext(part)]; ok {
			return source, true
		}
	}
	for _, r := range s.rest {
		if r.glob.Covers(rel) {
			return r.source, true
		}
	}
	return "", false
}

// named reports whether a pattern stands for the folded path itself, and not
// merely for a folder above it.
func (s *ruleset) named(rel, base string) bool {
	if _, ok := s.names[base]; ok {
		return true
	}
	for _, r := range s.rest {
		if r.glob.Match(rel, false) {
			return true
		}
	}
	_, ok := s.suffixes[path.Ext(base)]
	return ok
}
