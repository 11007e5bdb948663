package config

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
)

// config writes the merged values into a Config and checks what only the whole
// can show.
func (m *merger) config() (*Config, error) {
	m.fillNamed()
	m.normalise()
	cfg := &Config{}
	keys := make([]string, 0, len(m.state))
	for k := range m.state {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		h := m.state[k]
		if err := assign(reflect.ValueOf(cfg).Elem(), h.path, h.value); err != nil {
			return nil, fmt.Errorf("set %s: %w", strings.Join(h.path, "."), err)
		}
	}
	if err := m.check(cfg); err != nil {
		return nil, err
	}
	cfg.entries = m.entries()
	return cfg, nil
}

// fillNamed gives each named thing, such as a provider, the defaults of the
// fields that it leaves out.
func (m *merger) fillNamed() {
	for _, h := range m.state {
		own := h.row.path()
		star := slices.Index(own, "*")
		if star < 0 {
			continue
		}
		for _, sibling := range m.schema.under(h.path[:star+1]) {
			if sibling.def == "" {
				continue
			}
			path := append(slices.Clone(h.path[:star+1]), sibling.path()[star+1:]...)
			if _, ok := m.state[stateKey(path)]; !ok {
				m.put(path, sibling, mustDefault(sibling, sibling.def), "default")
			}
		}
	}
}

// normalise settles what the contract says of single values: no attempts are
// one, and a soft budget never lies above the hard one.
func (m *merger) normalise() {
	attempts := m.state[stateKey([]string{"governance", "generate_retry_max"})]
	if attempts.value == int64(0) {
		attempts.value = int64(1)
		m.state[stateKey(attempts.path)] = attempts
	}
	soft := m.state[stateKey([]string{"governance", "tokens", "soft"})]
	hard := m.state[stateKey([]string{"governance", "tokens", "hard"})]
	if soft.row.rank(soft.value) > hard.row.rank(hard.value) {
		soft.value, soft.origin = hard.value, hard.origin
		m.state[stateKey(soft.path)] = soft
	}
}

// check refuses named things that are incomplete.
func (m *merger) check(cfg *Config) error {
	for name, p := range cfg.Providers {
		if p.BaseURL == "" {
			return m.incomplete("providers."+name, "has no base_url", []string{"providers", name})
		}
	}
	for name, s := range cfg.MCP.Servers {
		if (len(s.Command) == 0) == (s.URL == "") {
			return m.incomplete("mcp.servers."+name, "needs either a command or a url", []string{"mcp", "servers", name})
		}
	}
	return nil
}

func (m *merger) incomplete(key, msg string, prefix []string) error {
	origin := ""
	for _, h := range m.state {
		if len(h.path) > len(prefix) && slices.Equal(h.path[:len(prefix)], prefix) && h.origin != "default" && (origin == "" || h.origin < origin) {
			origin = h.origin
		}
	}
	return &writ.Error{Code: writ.CodeConfig, Msg: fmt.Sprintf("%s %s (%s)", key, msg, origin), Hint: "complete it or take it out"}
}

// entries lists the effective values for people, commands one by one and
// passwords masked.
func (m *merger) entries() []Entry {
	var out []Entry
	for _, h := range m.state {
		key := strings.Join(h.path, ".")
		switch v := h.value.(type) {
		case []Command:
			for _, c := range v {
				out = append(out, Entry{Key: key + "." + c.Name, Value: c, Origin: h.origin})
			}
		case string:
			out = append(out, Entry{Key: key, Value: maskURL(h.row.kind, v), Origin: h.origin})
		default:
			out = append(out, Entry{Key: key, Value: v, Origin: h.origin})
		}
	}
	for _, r := range m.schema.rows {
		if _, ok := m.state[stateKey(r.path())]; !ok && !strings.Contains(r.key, "*") && r.kind != declared {
			out = append(out, Entry{Key: r.key, Value: r.kind.empty(), Origin: "default"})
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// empty is the value of a setting that nobody set.
func (k kind) empty() any {
	switch k {
	case text, word, variable, address, database:
		return ""
	case integer, number, span, size, boolean:
		return nil
	case texts, argv, variables, declared:
		return []string{}
	}
	return nil
}

func maskURL(k kind, s string) string {
	if k != address && k != database {
		return s
	}
	u, err := url.Parse(s)
	if err != nil {
		return s
	}
	if q := u.Query(); q.Has("password") {
		q.Set("password", "xxxxx")
		u.RawQuery = q.Encode()
		return u.Redacted()
	}
	if _, ok := u.User.Password(); !ok {
		return s
	}
	return u.Redacted()
}

// assign walks the yaml tags of a struct to the field that a path names.
func assign(v reflect.Value, path []string, value any) error {
	if len(path) == 0 {
		return store(v, value)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("yaml") == path[0] {
				return assign(v.Field(i), path[1:], value)
			}
		}
		return fmt.Errorf("no field %s", path[0])
	case reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		elem := reflect.New(v.Type().Elem()).Elem()
		if old := v.MapIndex(reflect.ValueOf(path[0])); old.IsValid() {
			elem.Set(old)
		}
		if err := assign(elem, path[1:], value); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(path[0]), elem)
		return nil
	default:
		return fmt.Errorf("%s has no field %s", v.Type(), path[0])
	}
}

// store sets a field; slices are copied, so no two Configs share one.
func store(v reflect.Value, value any) error {
	switch list := value.(type) {
	case []string:
		value = slices.Clone(list)
	case []Command:
		value = slices.Clone(list)
	}
	have := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if !have.CanConvert(v.Type()) {
		return fmt.Errorf("a %s cannot become a %s", have.Type(), v.Type())
	}
	v.Set(have.Convert(v.Type()))
	return nil
}
