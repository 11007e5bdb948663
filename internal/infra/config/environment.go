package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/writ-dev/writ"
)

const envPrefix = "WRIT_"

// EnvName is the variable that sets a key: section and key in upper case.
func EnvName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// environment reads the WRIT_ variables. An empty one counts as unset. One
// that sets nothing is a warning, since other programs may own it.
func (l *loader) environment() (level, error) {
	rows := map[string]*row{}
	for i := range l.schema.rows {
		if r := &l.schema.rows[i]; r.kind != declared && !strings.Contains(r.key, "*") {
			rows[EnvName(r.key)] = r
		}
	}
	set := map[string]string{}
	for _, e := range l.options.Env {
		if name, value, ok := strings.Cut(e, "="); ok && strings.HasPrefix(name, envPrefix) {
			set[name] = value
		}
	}
	out := level{origin: "env"}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		r := rows[name]
		switch {
		case set[name] == "":
		case r == nil:
			l.warnings = append(l.warnings, Warning{Key: name, Why: unknownVariable(name, slices.Sorted(maps.Keys(rows)))})
		default:
			value, err := r.fromText(set[name])
			if err != nil {
				return level{}, &writ.Error{Code: writ.CodeConfig, Msg: name + ": " + err.Error(), Err: err}
			}
			out.settings = append(out.settings, setting{key: r.key, path: r.path(), row: r, value: value, place: "env " + name})
		}
	}
	return out, nil
}

func unknownVariable(name string, known []string) string {
	why := "no setting has this name"
	if isSecretField(name) {
		return why + "; a model's key goes into a variable of its own, which model.api_key_env names"
	}
	if near := nearest(name, known); near != "" {
		return why + "; did you mean " + near + "?"
	}
	return why
}

// flags reads the flags of the command line.
func (l *loader) flags() (level, error) {
	out := level{origin: "flag"}
	for _, key := range slices.Sorted(maps.Keys(l.options.Flags)) {
		path := strings.Split(key, ".")
		r := l.schema.find(path)
		if r == nil {
			return level{}, fmt.Errorf("flag sets %q, which is no setting", key)
		}
		value, err := r.fromText(flagText(l.options.Flags[key]))
		if err != nil {
			return level{}, &writ.Error{Code: writ.CodeConfig, Msg: "flag for " + key + ": " + err.Error(), Err: err}
		}
		out.settings = append(out.settings, setting{key: key, path: path, row: r, value: value, place: "flag"})
	}
	return out, nil
}

// flagText writes a flag's value as the environment would.
func flagText(v any) string {
	switch v := v.(type) {
	case []string:
		return strings.Join(v, ",")
	case time.Duration:
		return v.String()
	}
	return fmt.Sprint(v)
}
