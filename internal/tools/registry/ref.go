package registry

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxSchemaCost limits how many subschemas may apply to one and the same
// value: a check walks them all.
const maxSchemaCost = 1000

// checkRefs refuses a schema that refers outside itself, or whose references
// form a circle that applies to one value again and again: the library would
// follow it until the process's stack ends, which nothing can recover.
func checkRefs(top map[string]any) error {
	w := refWalker{top: top, cost: make(map[string]int)}
	return w.everywhere("", top)
}

type refWalker struct {
	top  map[string]any
	cost map[string]int // by JSON pointer; -1 while being counted
}

func (w *refWalker) everywhere(pointer string, value any) error {
	switch v := value.(type) {
	case map[string]any:
		if _, err := w.count(pointer, v); err != nil {
			return err
		}
		for key, child := range v {
			if err := w.everywhere(pointer+"/"+escapePointer(key), child); err != nil {
				return err
			}
		}
	case []any:
		for i, child := range v {
			if err := w.everywhere(pointer+"/"+strconv.Itoa(i), child); err != nil {
				return err
			}
		}
	default:
	}
	return nil
}

// count returns how many subschemas apply to the value that node applies to.
func (w *refWalker) count(pointer string, node map[string]any) (int, error) {
	switch known, seen := w.cost[pointer]; {
	case seen && known < 0:
		return 0, errors.New("the schema refers to itself in a circle")
	case seen:
		return known, nil
	default:
	}
	w.cost[pointer] = -1
	total := 1
	targets, err := inPlace(pointer, node)
	if err != nil {
		return 0, err
	}
	for _, target := range targets {
		child, ok := w.find(target).(map[string]any)
		if !ok {
			continue // true and false are schemas too, and a wrong target is the library's to name
		}
		n, err := w.count(target, child)
		if err != nil {
			return 0, err
		}
		if total += n; total > maxSchemaCost {
			return 0, fmt.Errorf("the schema applies over %d subschemas to one value", maxSchemaCost)
		}
	}
	w.cost[pointer] = total
	return total, nil
}

// inPlace lists the pointers of the subschemas that apply to the same value.
func inPlace(pointer string, node map[string]any) ([]string, error) {
	var targets []string
	for _, keyword := range []string{"$dynamicRef", "$recursiveRef"} {
		if _, ok := node[keyword].(string); ok {
			return nil, fmt.Errorf("the schema uses %s, which is not supported", keyword)
		}
	}
	if ref, ok := node["$ref"].(string); ok {
		if ref != "#" && !strings.HasPrefix(ref, "#/") || strings.Contains(ref, "%") {
			return nil, fmt.Errorf("the schema refers to %s; only #/… inside itself is supported", quote(ref))
		}
		targets = append(targets, strings.TrimPrefix(ref, "#"))
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := node[keyword].([]any)
		for i := range list {
			targets = append(targets, pointer+"/"+keyword+"/"+strconv.Itoa(i))
		}
	}
	for _, keyword := range []string{"not", "if", "then", "else"} {
		if _, ok := node[keyword].(map[string]any); ok {
			targets = append(targets, pointer+"/"+keyword)
		}
	}
	for _, keyword := range []string{"dependentSchemas", "dependencies"} {
		byName, _ := node[keyword].(map[string]any)
		for name := range byName {
			targets = append(targets, pointer+"/"+keyword+"/"+escapePointer(name))
		}
	}
	return targets, nil
}

func (w *refWalker) find(pointer string) any {
	var value any = w.top
	if pointer == "" {
		return value
	}
	for _, part := range strings.Split(pointer[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

func escapePointer(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}
