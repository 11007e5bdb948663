package registry

import (
	"slices"
	"strings"

	"github.com/writ-dev/writ"
)

// minTypo is the shortest name in which one wrong letter is forgiven; in
// shorter ones two different tools are too close to each other.
const minTypo = 6

// Resolve returns the name of the tool that a role's call means, by the rules
// of the package comment. The error is TOOL_DENIED for a tool that exists and
// is not the role's, TOOL_UNKNOWN for any other name.
func (r *Registry) Resolve(role Role, name string) (string, *writ.Error) {
	if r.lookup(name) != nil {
		if slices.Contains(role.Allowed, name) {
			return name, nil
		}
		return "", denied(role, name)
	}
	if found := r.sameWhenFolded(name, role.Allowed); len(found) == 1 {
		return found[0], nil
	}
	if others := r.sameWhenFolded(name, r.Names()); len(others) > 0 {
		return "", denied(role, others[0])
	}
	if found := r.oneLetterOff(name, role.Allowed); len(found) == 1 {
		return found[0], nil
	}
	return "", r.unknown(role, name)
}

func denied(role Role, name string) *writ.Error {
	return &writ.Error{
		Code: writ.CodeToolDenied,
		Op:   "call " + name,
		Msg:  "the role " + role.Agent + " may not use this tool",
		Hint: "use one of your own tools: " + listed(role.Allowed),
	}
}

func (r *Registry) unknown(role Role, name string) *writ.Error {
	near := make([]string, 0, 3)
	known := r.known(role.Allowed)
	folded := fold(name)
	byDistance := slices.Clone(known)
	slices.SortStableFunc(byDistance, func(a, b string) int {
		return distance(folded, fold(a)) - distance(folded, fold(b))
	})
	for _, candidate := range byDistance {
		if len(near) < 3 && distance(folded, fold(candidate)) <= (len(candidate)+1)/2 {
			near = append(near, candidate)
		}
	}
	hint := "your tools are " + listed(known)
	if len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
	}
	return &writ.Error{
		Code: writ.CodeToolUnknown,
		Msg:  "no tool is named " + quote(name),
		Hint: hint,
	}
}

func (r *Registry) known(names []string) []string {
	var known []string
	for _, name := range names {
		if r.lookup(name) != nil {
			known = append(known, name)
		}
	}
	return known
}

func (r *Registry) sameWhenFolded(name string, candidates []string) []string {
	var found []string
	for _, candidate := range r.known(candidates) {
		if fold(candidate) == fold(name) {
			found = append(found, candidate)
		}
	}
	return found
}

// oneLetterOff never forgives a digit (tool2 is not tool3) and never the name
// of another server's tool, whose neighbours are not ours to know.
func (r *Registry) oneLetterOff(name string, candidates []string) []string {
	folded := fold(name)
	if len(folded) < minTypo || strings.ContainsAny(folded, "0123456789") {
		return nil
	}
	var found []string
	for _, candidate := range r.known(candidates) {
		if !strings.Contains(candidate, "__") && !strings.ContainsAny(candidate, "0123456789") &&
			distance(folded, fold(candidate)) == 1 {
			found = append(found, candidate)
		}
	}
	return found
}

// fold maps the spellings of one name that are forgiven to one form.
func fold(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, prefix := range []string{"functions.", "functions/", "tools.", "functions:"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return strings.ReplaceAll(name, "-", "_")
}

// distance counts the edits of one byte between two names. Very long input is
// cut: what a model sends here is foreign, and the work is quadratic.
func distance(a, b string) int {
	a, b = a[:min(len(a), 2*maxNameLen)], b[:min(len(b), 2*maxNameLen)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
