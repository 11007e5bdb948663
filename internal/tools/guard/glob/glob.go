package glob

import (
	"errors"
	"fmt"
	"strings"
)

// Pattern is a compiled pattern. The zero value matches nothing.
type Pattern struct {
	segments []segment
	dir      bool // only a folder matches
	anchored bool
	source   string
}

// Compile reads one pattern. It refuses what could never match a path of a
// tree: the empty pattern, an empty, "." or ".." segment, and an unclosed
// bracket.
func Compile(pattern string) (Pattern, error) {
	p := Pattern{source: pattern}
	body := pattern
	if rest, ok := strings.CutPrefix(body, "/"); ok {
		p.anchored, body = true, rest
	}
	if rest, ok := strings.CutSuffix(body, "/"); ok {
		p.dir, body = true, rest
	}
	if body == "" {
		return Pattern{}, errors.New("pattern names nothing")
	}
	names := strings.Split(body, "/")
	p.anchored = p.anchored || len(names) > 1
	for _, name := range names {
		switch name {
		case "":
			return Pattern{}, fmt.Errorf("pattern %q has an empty segment", pattern)
		case ".", "..":
			return Pattern{}, fmt.Errorf("pattern %q can never match: %q names no file", pattern, name)
		}
		seg, err := scan(name)
		if err != nil {
			return Pattern{}, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		p.segments = append(p.segments, seg)
	}
	return p, nil
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.source }

// Match reports whether the pattern names exactly this path, not merely a
// folder above it. dir says whether the path is a folder.
func (p Pattern) Match(path string, dir bool) bool {
	if len(p.segments) == 0 || p.dir && !dir {
		return false
	}
	if !p.anchored {
		return p.segments[0].match(path[strings.LastIndexByte(path, '/')+1:])
	}
	return matchPath(p.segments, strings.Split(path, "/"))
}

// Covers reports whether the pattern names this path or a folder above it.
// The path itself counts as a folder too, since it may become one.
func (p Pattern) Covers(path string) bool {
	for end := 0; end < len(path); end++ {
		if path[end] == '/' && p.Match(path[:end], true) {
			return true
		}
	}
	return p.Match(path, true)
}

// Literal returns the one name that the pattern stands for at any depth, and
// false when the pattern is anchored or has a wildcard. An index over many
// patterns uses it.
func (p Pattern) Literal() (string, bool) {
	if p.anchored || len(p.segments) != 1 || p.segments[0].atoms != nil {
		return "", false
	}
	return p.segments[0].text, true
}

// matchPath matches segment lists. Only the last "**" is ever tried again: an
// earlier one cannot match more than a later one that follows it.
func matchPath(pattern []segment, path []string) bool {
	p, s := 0, 0
	back, from := -1, 0
	for s < len(path) {
		switch {
		case p < len(pattern) && pattern[p].deep:
			if p == len(pattern)-1 {
				return true
			}
			back, from = p, s
			p++
		case p < len(pattern) && pattern[p].match(path[s]):
			p, s = p+1, s+1
		case back >= 0:
			from++
			p, s = back+1, from
		default:
			return false
		}
	}
	return p == len(pattern)
}
