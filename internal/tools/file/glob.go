package file

import (
	"fmt"
	"path"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/guard/glob"
)

// The bounds of a pattern: a model may send any.
const (
	maxGlob         = 500
	maxAlternatives = 64
)

// newMatcher compiles a glob argument, in the language of .gitignore with
// {a,b} added, as editors and shells have it. An empty one matches all; a wrong
// one is SCHEMA_INVALID. A leading ./ is dropped, and a folder's pattern
// matches what is in it.
func newMatcher(pattern string) (func(name string) bool, error) {
	if pattern == "" {
		return func(string) bool { return true }, nil
	}
	if len(pattern) > maxGlob {
		return nil, badGlob(fmt.Sprintf("is longer than %d bytes", maxGlob))
	}
	alternatives, err := expand(strings.TrimPrefix(pattern, "./"))
	if err != nil {
		return nil, err
	}
	compiled := make([]glob.Pattern, 0, len(alternatives))
	for _, alternative := range alternatives {
		p, err := glob.Compile(alternative)
		if err != nil {
			return nil, badGlob(err.Error())
		}
		compiled = append(compiled, p)
	}
	return func(name string) bool {
		for _, p := range compiled {
			if p.Match(name, false) || p.Covers(path.Dir(name)) {
				return true
			}
		}
		return false
	}, nil
}

// expand writes out the alternatives in braces. A brace without its other half
// stands for itself.
func expand(pattern string) ([]string, error) {
	open, end, commas := braces(pattern)
	if end < 0 {
		return []string{pattern}, nil
	}
	var out []string
	from := open + 1
	for _, comma := range append(commas, end) {
		rest, err := expand(pattern[:open] + pattern[from:comma] + pattern[end+1:])
		if err != nil {
			return nil, err
		}
		if out = append(out, rest...); len(out) > maxAlternatives {
			return nil, badGlob(fmt.Sprintf("has more than %d alternatives", maxAlternatives))
		}
		from = comma + 1
	}
	return out, nil
}

// braces finds the first pair of braces that holds a comma, and its commas
// outside of inner pairs; end is negative where there is none.
func braces(pattern string) (open, end int, commas []int) {
	for open = 0; open < len(pattern); open++ {
		if pattern[open] != '{' {
			continue
		}
		commas = nil
		depth := 0
		for i := open; i < len(pattern); i++ {
			switch c := pattern[i]; {
			case c == '{':
				depth++
			case c == ',' && depth == 1:
				commas = append(commas, i)
			case c == '}':
				depth--
			default:
			}
			if depth == 0 && len(commas) > 0 {
				return open, i, commas
			}
			if depth == 0 {
				break
			}
		}
	}
	return 0, -1, nil
}

func badGlob(why string) *writ.Error {
	return &writ.Error{
		Code: writ.CodeSchemaInvalid, Op: "glob", Msg: why,
		Hint: "write it as *.go, src/**/*.ts or {a,b}.json",
	}
}
