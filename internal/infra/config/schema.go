package config

import (
	"fmt"
	"slices"
	"strings"
)

// schema finds rows by path.
type schema struct{ rows []row }

func newSchema() *schema { return &schema{rows: table()} }

// find returns the row of a whole path, or nil.
func (s *schema) find(path []string) *row {
	for i := range s.rows {
		if own := s.rows[i].path(); len(own) == len(path) && begins(own, path) {
			return &s.rows[i]
		}
	}
	return nil
}

// under lists the rows that lie at the path or deeper.
func (s *schema) under(path []string) []*row {
	var out []*row
	for i := range s.rows {
		if begins(s.rows[i].path(), path) {
			out = append(out, &s.rows[i])
		}
	}
	return out
}

// begins tells whether a row's path starts with the given one.
func begins(own, path []string) bool {
	if len(path) > len(own) {
		return false
	}
	for i, name := range path {
		if own[i] != "*" && own[i] != name {
			return false
		}
	}
	return true
}

// children lists the keys that may stand beneath a path; a free name is "*".
func (s *schema) children(path []string) []string {
	var out []string
	for _, r := range s.under(path) {
		if own := r.path(); len(own) > len(path) && !slices.Contains(out, own[len(path)]) {
			out = append(out, own[len(path)])
		}
	}
	return out
}

// checkName judges the name that a file chose for a "*".
func (s *schema) checkName(path []string) error {
	name, rows := path[len(path)-1], s.under(path)
	if len(rows) == 0 || rows[0].path()[len(path)-1] != "*" {
		return nil
	}
	if names := rows[0].names; len(names) > 0 {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%s is none of %s", show(name), strings.Join(names, ", "))
		}
		return nil
	}
	plain := func(c rune) bool {
		return c == '_' || c == '-' || c == '.' || c == ':' || c == '/' || c == '@' || c == '+' ||
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
	}
	if name == "" || len(name) > 200 || strings.ContainsFunc(name, func(c rune) bool { return !plain(c) }) {
		return fmt.Errorf("%s is no plain name", show(name))
	}
	return nil
}

// unknown makes the error for a key that no row has, with the nearest one that
// may stand there, or that stands elsewhere.
func (s *schema) unknown(path []string, line int) error {
	name := path[len(path)-1]
	if isSecretField(name) {
		return &lineError{
			line: line, msg: "a key never stands in a configuration file (" + clip(strings.Join(path, ".")) + ")",
			hint: "put it into an environment variable and name that variable, as in api_key_env: MY_KEY",
		}
	}
	e := &lineError{line: line, msg: "unknown key " + plainWord(strings.Join(path, "."))}
	siblings := s.children(path[:len(path)-1])
	if near := nearest(name, siblings); near != "" {
		e.hint = "did you mean " + strings.Join(append(slices.Clone(path[:len(path)-1]), near), ".") + "?"
		return e
	}
	for _, r := range s.rows {
		if strings.HasSuffix(r.key, "."+name) {
			e.hint = "did you mean " + r.key + "?"
			return e
		}
	}
	slices.Sort(siblings)
	e.hint = "known here: " + strings.Join(siblings, ", ")
	return e
}

// isSecretField tells a field that would hold a secret from one that names a
// variable.
func isSecretField(name string) bool {
	n := strings.ReplaceAll(strings.ToLower(name), "-", "_")
	for _, s := range []string{"key", "apikey", "token", "secret", "password", "passwd", "credential", "credentials"} {
		if n == s || strings.HasSuffix(n, "_"+s) {
			return true
		}
	}
	return false
}

// nearest returns the known word closest to what was written, if it is close.
func nearest(word string, known []string) string {
	best, at := "", max(2, len(word)/3)+1
	for _, k := range known {
		if k == "*" {
			continue
		}
		if d := distance(strings.ToLower(word), strings.ToLower(k), at); d < at {
			best, at = k, d
		}
	}
	return best
}

// distance is the number of edits between two words, or limit when it is at
// least that.
func distance(a, b string, limit int) int {
	if len(a) > 100 || len(b) > 100 {
		return limit
	}
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(prev[j+1]+1, row[j]+1, prev[j]+cost)
		}
		prev = row
	}
	return min(prev[len(b)], limit)
}

// plainWord shows a key as it is where it is harmless, quoted where it is not.
func plainWord(s string) string {
	for _, c := range s {
		if c <= ' ' || c > '~' {
			return show(s)
		}
	}
	return clip(s)
}
