package config

import (
	"fmt"
	"slices"
	"strings"
)

// held is an effective value on its way through the levels.
type held struct {
	path   []string
	row    *row
	value  any
	origin string
}

// merger lays one level over the other.
type merger struct {
	schema   *schema
	state    map[string]held // by the path's segments
	warnings []Warning
}

func newMerger(s *schema) *merger {
	m := &merger{schema: s, state: map[string]held{}}
	for i := range s.rows {
		if r := &s.rows[i]; r.def != "" && !strings.Contains(r.key, "*") {
			m.put(r.path(), r, mustDefault(r, r.def), "default")
		}
	}
	for key, def := range roleDefaults() {
		path := strings.Split(key, ".")
		r := s.find(path)
		m.put(path, r, mustDefault(r, def), "default")
	}
	return m
}

// mustDefault reads a default of the table; one that its own row refuses is a
// programmer's mistake.
func mustDefault(r *row, def string) any {
	v, err := r.fromText(def)
	if err != nil {
		panic("config: the default of " + r.key + ": " + err.Error())
	}
	return v
}

// stateKey joins a path by a character that no name may hold, since names may
// hold dots.
func stateKey(path []string) string { return strings.Join(path, "\x00") }

func (m *merger) put(path []string, r *row, value any, origin string) {
	m.state[stateKey(path)] = held{path, r, value, origin}
}

func (m *merger) apply(l level) {
	for _, s := range l.settings {
		prev, had := m.state[stateKey(s.path)]
		value, why := s.value, ""
		switch {
		case l.untrusted:
			value, why = tighten(s.row, prev.value, s.value)
		case s.row.grows:
			value = union(prev.value, s.value)
		}
		if why != "" {
			m.warnings = append(m.warnings, Warning{File: l.file, Line: s.line, Key: s.key, Why: why})
			continue
		}
		origin := s.place
		if origin == "" {
			origin = fmt.Sprintf("%s %s:%d", l.origin, l.file, s.line)
		}
		if had && (l.untrusted || s.row.grows) {
			switch {
			case same(prev.value, value):
				origin = prev.origin
			case isList(value):
				origin = prev.origin + " + " + origin
			}
		}
		m.put(s.path, s.row, value, origin)
	}
}

// tighten judges what an untrusted level says against what stands. It gives
// the value that counts, or why the level does not.
func tighten(r *row, prev, next any) (value any, why string) {
	const only = ", and a workspace that is not trusted may only tighten"
	switch r.license {
	case refuse:
		return prev, "a workspace that is not trusted cannot set it"
	case smaller:
		if r.rank(next) > r.rank(prev) {
			return prev, fmt.Sprintf("%v is more than %v%s", next, prev, only)
		}
	case larger:
		if r.rank(next) < r.rank(prev) {
			return prev, fmt.Sprintf("%v is less than %v%s", next, prev, only)
		}
	case later:
		if r.rank(next) < r.rank(prev) {
			return prev, fmt.Sprintf("%v is looser than %v%s", next, prev, only)
		}
	case add:
		return union(prev, next), ""
	}
	return next, ""
}

// rank puts a value on the row's scale.
func (r *row) rank(v any) float64 {
	var f float64
	switch v := v.(type) {
	case string:
		return float64(slices.Index(r.words, v))
	case int64:
		f = float64(v)
	case float64:
		f = v
	case Duration:
		f = v.Std().Seconds()
	case Size:
		f = float64(v)
	}
	if r.noLimit && f == 0 {
		return 1e300
	}
	return f
}

// union lengthens a list by what it lacks, order kept, in a slice of its own.
func union(prev, next any) []string {
	old, _ := prev.([]string)
	out := slices.Clone(old)
	more, _ := next.([]string)
	for _, item := range more {
		if !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out
}

func isList(v any) bool {
	_, ok := v.([]string)
	return ok
}

func same(a, b any) bool {
	x, isX := a.([]string)
	y, isY := b.([]string)
	if isX || isY {
		return slices.Equal(x, y)
	}
	_, commandsA := a.([]Command)
	_, commandsB := b.([]Command)
	return !commandsA && !commandsB && a == b
}
