package config

import (
	"fmt"
	"slices"
	"strings"
)

// Grants reads a project file and lists, one line each, what trusting it allows
// beyond what counts already. Who shows the lines and then trusts the file
// shows [GrantsOf] the bytes that are trusted.
func Grants(file string) ([]string, error) {
	content, err := readFile(file)
	if err != nil {
		return nil, fileError(file, err)
	}
	return GrantsOf(content)
}

// GrantsOf lists what trusting the content of a project file allows. A content
// that Load would refuse is the same error here.
func GrantsOf(content []byte) ([]string, error) {
	var lines []string
	l := &loader{schema: newSchema()}
	lv, err := l.file("project file", ProjectName, content, false)
	if err != nil {
		return nil, err
	}
	m := newMerger(l.schema)
	for _, s := range lv.settings {
		prev := m.state[stateKey(s.path)]
		if cs, ok := s.value.([]Command); ok {
			for _, c := range cs {
				lines = append(lines, fmt.Sprintf("command %s may run %s (phase %s, network %s, environment %s)",
					c.Name, quoteArgs(c.Run), c.Phase, c.Network, orNone(c.Env)))
			}
			continue
		}
		if _, why := tighten(s.row, prev.value, s.value); why != "" {
			lines = append(lines, fmt.Sprintf("%s = %s", s.key, showValue(s.value)))
		}
	}
	m.apply(lv)
	if _, err := m.config(); err != nil {
		return nil, err
	}
	return lines, nil
}

// quoteArgs writes an argument list so that each argument's ends are seen.
func quoteArgs(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if a == "" || strings.ContainsFunc(a, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`"'\$;&|<>()[]*?#`+"`", c) }) {
			quoted[i] = show(a)
		}
	}
	return strings.Join(quoted, " ")
}

func showValue(v any) string {
	if list, ok := v.([]string); ok {
		return quoteArgs(list)
	}
	return fmt.Sprint(v)
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(slices.Values(names)), " ")
}
