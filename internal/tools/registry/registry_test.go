package registry_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/registry"
)

func TestRegisterRefusesIncompleteTools(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(*writ.ToolSpec)
		says  string
	}{
		"no name":          {func(s *writ.ToolSpec) { s.Name = "" }, "name"},
		"a name with dots": {func(s *writ.ToolSpec) { s.Name = "a.b" }, "name"},
		"a name too long":  {func(s *writ.ToolSpec) { s.Name = strings.Repeat("a", 65) }, "name"},
		"no description":   {func(s *writ.ToolSpec) { s.Description = " \n" }, "no description"},
		"no effects":       {func(s *writ.ToolSpec) { s.Effects = 0 }, "no effects"},
		"none and others":  {func(s *writ.ToolSpec) { s.Effects = writ.EffectNone | writ.EffectWrite }, "effect none beside others"},
		"no guard":         {func(s *writ.ToolSpec) { s.Guard = nil }, "no guard"},
		"no schema":        {func(s *writ.ToolSpec) { s.Schema = nil }, "no schema"},
		"schema of a list": {func(s *writ.ToolSpec) { s.Schema = json.RawMessage(`{"type":"array"}`) }, `"object"`},
		"schema true":      {func(s *writ.ToolSpec) { s.Schema = json.RawMessage(`true`) }, `"object"`},
		"schema no JSON":   {func(s *writ.ToolSpec) { s.Schema = json.RawMessage(`{"type":"object"`) }, "not valid JSON"},
		"a key twice":      {func(s *writ.ToolSpec) { s.Schema = json.RawMessage(`{"type":"object","type":"object"}`) }, "twice"},
		"bad pattern": {func(s *writ.ToolSpec) {
			s.Schema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`)
		}, "resolve schema"},
		"a schema too large": {func(s *writ.ToolSpec) {
			s.Schema = json.RawMessage(`{"type":"object","title":"` + strings.Repeat("x", 300<<10) + `"}`)
		}, "limit"},
		"a reference outside": {func(s *writ.ToolSpec) {
			s.Schema = json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"http://example.com/s.json"}}}`)
		}, "only #/… inside itself"},
		"a circle": {func(s *writ.ToolSpec) {
			s.Schema = json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`)
		}, "circle"},
		"a circle through itself": {func(s *writ.ToolSpec) {
			s.Schema = json.RawMessage(`{"type":"object","allOf":[{"$ref":"#"}]}`)
		}, "circle"},
		"a bomb": {func(s *writ.ToolSpec) {
			defs := []string{`"d30":{}`}
			for i := range 30 {
				next := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
				defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[%s,%s]}`, i, next, next))
			}
			s.Schema = json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + `}}`)
		}, "subschemas"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec("tool")
			tc.spoil(&s)
			err := registry.New(registry.Options{}).Register(fake{spec: s})
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("Register = %v, want an error that says %q", err, tc.says)
			}
		})
	}
}

func TestRegisterNamesAllThatIsMissing(t *testing.T) {
	t.Parallel()
	err := registry.New(registry.Options{}).Register(fake{})
	for _, want := range []string{"name", "description", "schema", "effects", "guard"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Register = %v, want it to name the %s", err, want)
		}
	}
}

func TestRegisterRefusesASecondName(t *testing.T) {
	t.Parallel()
	r := newRegistry(t, fake{spec: spec("tool")})
	if err := r.Register(fake{spec: spec("tool")}); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("Register = %v, want a refusal", err)
	}
	if diff := cmp.Diff([]string{"tool"}, r.Names()); diff != "" {
		t.Error(diff)
	}
}

func TestModelToolsKeepTheGivenOrder(t *testing.T) {
	t.Parallel()
	r := newRegistry(t, fake{spec: spec("a")}, fake{spec: spec("b")}, fake{spec: spec("c")})
	var names []string
	for _, tool := range r.ModelTools([]string{"c", "absent", "a"}) {
		names = append(names, tool.Name)
	}
	if diff := cmp.Diff([]string{"c", "a"}, names); diff != "" {
		t.Error(diff)
	}
	if _, ok := r.Spec("absent"); ok {
		t.Error("Spec knows an absent tool")
	}
}

func TestSchemaIsDerived(t *testing.T) {
	t.Parallel()
	type item struct {
		Old string `json:"old" jsonschema:"what to replace"`
		All bool   `json:"all,omitempty"`
	}
	type args struct {
		Path  string   `json:"path" jsonschema:"where"`
		N     int      `json:"n,omitempty"`
		Items []item   `json:"items"`
		Tags  []string `json:"tags,omitempty"`
	}
	got, err := registry.Schema[args]()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"where"},` +
		`"n":{"type":"integer"},` +
		`"items":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string","description":"what to replace"},"all":{"type":"boolean"}},"required":["old"],"additionalProperties":false}},` +
		`"tags":{"type":"array","items":{"type":"string"}}},` +
		`"required":["path","items"],"additionalProperties":false}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
