package registry

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxProblems is how many wrong arguments one answer names.
const maxProblems = 5

// fitter walks arguments along their schema, takes for what it means what the
// package comment tolerates, and collects what does not fit in the words of a
// person: the argument's path, what was wanted and what came. It does not know
// every keyword; what it passes is validated in full afterwards.
type fitter struct {
	root     *jsonschema.Schema
	problems []string
}

func (f *fitter) problem(path, format string, args ...any) {
	switch n := len(f.problems); {
	case n < maxProblems:
		f.problems = append(f.problems, at(path)+": "+fmt.Sprintf(format, args...))
	case n == maxProblems:
		f.problems = append(f.problems, "and more")
	default:
	}
}

func (f *fitter) fit(path string, value any, s *jsonschema.Schema) any {
	s = f.deref(s)
	if s == nil {
		return value
	}
	wanted := typesOf(s)
	if len(wanted) > 0 && !slices.ContainsFunc(wanted, func(t string) bool { return isType(value, t) }) {
		coerced, ok := coerce(value, wanted)
		if !ok {
			f.problem(path, "want %s, got %s", wantedText(wanted), kindOf(value))
			return value
		}
		value = coerced
	}
	switch v := value.(type) {
	case map[string]any:
		f.object(path, v, s)
	case []any:
		if s.Items != nil {
			for i := range v {
				v[i] = f.fit(path+"["+strconv.Itoa(i)+"]", v[i], s.Items)
			}
		}
	case string:
		f.enum(path, v, s)
	case json.Number:
		if slices.Contains(wanted, "integer") && !slices.Contains(wanted, "number") {
			return wholeNumber(v)
		}
	default:
	}
	return value
}

func (f *fitter) object(path string, object map[string]any, s *jsonschema.Schema) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		property, known := s.Properties[key]
		switch {
		case known && object[key] == nil && !slices.Contains(s.Required, key) && !f.takesNull(property):
			delete(object, key)
		case known:
			object[key] = f.fit(join(path, key), object[key], property)
		case len(s.PatternProperties) == 0 && isFalse(s.AdditionalProperties):
			f.problem(join(path, key), "no such argument, there are %s", listed(names(s)))
		default:
		}
	}
	for _, key := range s.Required {
		if _, given := object[key]; !given {
			f.problem(join(path, key), "is missing, want %s", wantedText(typesOf(f.deref(s.Properties[key]))))
		}
	}
}

func (f *fitter) enum(path, value string, s *jsonschema.Schema) {
	if s.Enum == nil || slices.Contains(s.Enum, any(value)) {
		return
	}
	allowed := make([]string, 0, len(s.Enum))
	for _, e := range s.Enum {
		allowed = append(allowed, quote(fmt.Sprint(e)))
	}
	f.problem(path, "want one of %s, got %s", strings.Join(allowed, ", "), quote(value))
}

// takesNull says whether null is a value of its own for the schema; where that
// cannot be seen from its types, it may be.
func (f *fitter) takesNull(s *jsonschema.Schema) bool {
	s = f.deref(s)
	if s == nil {
		return true
	}
	wanted := typesOf(s)
	return len(wanted) == 0 || slices.Contains(wanted, "null")
}

// deref follows references to definitions. It gives nil for what it does not
// follow; such values are validated as they are.
func (f *fitter) deref(s *jsonschema.Schema) *jsonschema.Schema {
	for range MaxDepth {
		if s == nil || s.Ref == "" {
			return s
		}
		name, isDef := strings.CutPrefix(s.Ref, "#/$defs/")
		if isDef {
			s = f.root.Defs[name]
			continue
		}
		name, isDef = strings.CutPrefix(s.Ref, "#/definitions/")
		switch {
		case isDef:
			s = f.root.Definitions[name]
		case s.Ref == "#":
			s = f.root
		default:
			return nil
		}
	}
	return nil
}

// coerce takes a value for the wanted type where its meaning is plain.
func coerce(value any, wanted []string) (any, bool) {
	switch v := value.(type) {
	case string:
		if slices.Contains(wanted, "string") {
			return nil, false
		}
		return fromText(strings.TrimSpace(v), wanted)
	case json.Number:
		if whole := wholeNumber(v); slices.Contains(wanted, "integer") && isType(whole, "integer") {
			return whole, true
		}
	default:
	}
	return nil, false
}

func fromText(text string, wanted []string) (any, bool) {
	var parsed any
	switch strings.ToLower(text) {
	case "true":
		parsed = true
	case "false":
		parsed = false
	case "", "null":
		return nil, false
	default:
		if text[0] == '"' {
			return nil, false
		}
		var err error
		if parsed, err = decodeStrict([]byte(text)); err != nil {
			return nil, false
		}
	}
	for _, t := range wanted {
		if t != "null" && isType(parsed, t) {
			return parsed, true
		}
	}
	return nil, false
}

// wholeNumber writes 3.0 and 3e0 as 3, the only spelling that Go's decoder
// takes for an integer. Any other number stays as it is.
func wholeNumber(n json.Number) json.Number {
	if _, err := n.Int64(); err == nil {
		return n
	}
	const exact = 1 << 53 // beyond it a float no longer counts in ones
	float, err := n.Float64()
	if err != nil || float != math.Trunc(float) || math.Abs(float) > exact {
		return n
	}
	return json.Number(strconv.FormatInt(int64(float), 10))
}

func isType(value any, name string) bool {
	switch v := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	case json.Number:
		if name == "number" {
			return true
		}
		_, err := v.Int64()
		return name == "integer" && err == nil
	default:
		return false
	}
}

func typesOf(s *jsonschema.Schema) []string {
	switch {
	case s == nil:
		return nil
	case s.Type != "":
		return []string{s.Type}
	default:
		return s.Types
	}
}

func names(s *jsonschema.Schema) []string {
	if len(s.PropertyOrder) == len(s.Properties) {
		return s.PropertyOrder
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

func isFalse(s *jsonschema.Schema) bool {
	if s == nil {
		return false
	}
	raw, err := json.Marshal(s)
	return err == nil && string(raw) == "false"
}

func wantedText(types []string) string {
	if len(types) == 0 {
		return "a value"
	}
	words := make([]string, 0, len(types))
	for _, t := range types {
		words = append(words, article(t))
	}
	return strings.Join(words, " or ")
}

func kindOf(value any) string {
	for _, t := range []string{"null", "boolean", "string", "array", "object", "number"} {
		if isType(value, t) {
			return article(t)
		}
	}
	return "something else"
}

func article(name string) string {
	switch name {
	case "array", "object", "integer":
		return "an " + name
	case "null":
		return name
	default:
		return "a " + name
	}
}
