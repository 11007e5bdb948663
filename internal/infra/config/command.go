package config

import (
	"fmt"
	"strings"
)

// readCommands reads the list of declared commands. Names are what models and
// reports call them by, so they are plain and unique.
func readCommands(n node) (any, error) {
	if n.shape != shapeSequence {
		return nil, &hinted{
			fmt.Errorf("is %s where a list of commands is wanted", n.shape),
			"write them as - {name: test, run: [go, test, ./...], phase: test}",
		}
	}
	fields := commandFields()
	out := []Command{}
	seen := map[string]bool{}
	for _, item := range n.items {
		c, err := readCommand(fields, item)
		if err != nil {
			return nil, err
		}
		if seen[c.Name] {
			return nil, &lineError{line: item.line, msg: "two commands are named " + c.Name}
		}
		seen[c.Name] = true
		out = append(out, c)
	}
	return out, nil
}

func readCommand(fields []row, n node) (Command, error) {
	if n.shape != shapeMapping {
		return Command{}, &lineError{line: n.line, msg: fmt.Sprintf("an entry is %s instead of a mapping", n.shape), hint: "write it as {name: test, run: [go, test, ./...], phase: test}"}
	}
	commandSchema := &schema{rows: fields}
	values := map[string]any{}
	for i := range fields {
		if fields[i].def != "" {
			values[fields[i].key], _ = fields[i].fromText(fields[i].def)
		}
	}
	for _, p := range n.keys {
		row := commandSchema.find([]string{p.key})
		if row == nil {
			return Command{}, commandSchema.unknown([]string{p.key}, p.line)
		}
		if p.value.shape == shapeNull {
			continue
		}
		value, err := row.fromNode(p.value)
		if err != nil {
			return Command{}, keyed(p.key, p.line, err)
		}
		values[p.key] = value
	}
	return buildCommand(values, n.line)
}

func buildCommand(values map[string]any, line int) (Command, error) {
	c := Command{
		Name: get[string](values, "name"), Run: get[[]string](values, "run"), Phase: get[string](values, "phase"),
		Timeout: get[Duration](values, "timeout"), Required: get[bool](values, "required"),
		Dir: get[string](values, "dir"), Env: get[[]string](values, "env"), Network: get[string](values, "network"),
	}
	fault := func(format string, args ...any) (Command, error) {
		return Command{}, &lineError{line: line, msg: fmt.Sprintf(format, args...)}
	}
	switch {
	case !isCommandName(c.Name):
		return fault("name: %s is not of a-z, 0-9, _ and -", show(c.Name))
	case len(c.Run) == 0:
		return fault("%s has no run", c.Name)
	case c.Phase == "":
		return fault("%s has no phase: one of %s", c.Name, strings.Join(phases(), ", "))
	case !isInside(c.Dir):
		return fault("%s: dir: %s is not inside the workspace", c.Name, show(c.Dir))
	}
	return c, nil
}

// get returns a value of its type, or the zero value where there is none.
func get[T any](values map[string]any, key string) T {
	v, _ := values[key].(T)
	return v
}

func isCommandName(s string) bool {
	for _, c := range s {
		if c != '_' && c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}
