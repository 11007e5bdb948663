package registry_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/registry"
)

// fake is a tool whose parts a test sets.
type fake struct {
	spec writ.ToolSpec
	call func(ctx context.Context, in writ.Invocation) (any, error)
}

func (f fake) Spec() writ.ToolSpec { return f.spec }
func (f fake) Call(ctx context.Context, in writ.Invocation) (any, error) {
	if f.call == nil {
		return map[string]string{"args": string(in.Args), "tool": in.Tool}, nil
	}
	return f.call(ctx, in)
}

type guardFunc func(context.Context, writ.Invocation) error

func (g guardFunc) Judge(ctx context.Context, in writ.Invocation) error { return g(ctx, in) }

func allow(context.Context, writ.Invocation) error { return nil }

func spec(name string) writ.ToolSpec {
	return writ.ToolSpec{
		Name: name, Description: "does something", Effects: writ.EffectRead, Guard: guardFunc(allow),
		Schema: json.RawMessage(`{"type":"object"}`),
	}
}

func newRegistry(t *testing.T, tools ...writ.Tool) *registry.Registry {
	t.Helper()
	r := registry.New(registry.Options{})
	if err := r.RegisterAll(tools); err != nil {
		t.Fatal(err)
	}
	return r
}

// result is what a model sees.
type result struct {
	OK    bool           `json:"ok"`
	Error writ.ToolError `json:"error"`
	Tool  string         `json:"tool"`
	Args  string         `json:"args"`
}

func call(t *testing.T, r *registry.Registry, role registry.Role, tool, args string) (result, *writ.Error) {
	t.Helper()
	raw, refused, err := r.Call(t.Context(), role, writ.Invocation{Tool: tool, Args: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("Call(%s, %s) = %v", tool, args, err)
	}
	var res result
	if err := json.Unmarshal(raw, &res); err != nil {
		t.Fatalf("the result is no JSON object: %v\n%s", err, raw)
	}
	if res.OK != (refused == nil) {
		t.Fatalf("result %s and refusal %v do not agree", raw, refused)
	}
	if refused != nil && (res.Error.Code != refused.Code || !strings.Contains(res.Error.Message, refused.Advice())) {
		t.Errorf("the result %s does not tell %+v", raw, refused)
	}
	return res, refused
}
