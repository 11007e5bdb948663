package writtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

// ToolCase describes a tool to [TestTool].
type ToolCase struct {
	Tool writ.Tool
	// Args are calls that must succeed in a fresh workspace. At least one is
	// needed.
	Args []string
	// Workspace makes the world of one call; nil makes an empty [Workspace].
	Workspace func() *Workspace
}

// TestTool is the conformance suite of [writ.Tool]: what every tool must keep,
// whoever wrote it. It calls the tool many times, each in a workspace of its
// own.
func TestTool(t *testing.T, c ToolCase) {
	t.Helper()
	if len(c.Args) == 0 {
		t.Fatal("a tool case needs arguments of a call that succeeds")
	}
	if c.Workspace == nil {
		c.Workspace = func() *Workspace { return NewWorkspace(WorkspaceOptions{}) }
	}
	s := toolSuite(c)
	t.Run("declares itself", s.declares)
	t.Run("judges without effect", s.judges)
	t.Run("gives results that can be told", s.succeeds)
	t.Run("does not more than its effects say", s.keepsToEffects)
	t.Run("takes any arguments without a panic", s.survives)
	t.Run("ends with its context", s.ends)
	t.Run("is safe for concurrent use", s.concurrent)
}

type toolSuite ToolCase

func (s toolSuite) invocation(ws *Workspace, args string) writ.Invocation {
	return writ.Invocation{
		Task: "t_1", Agent: "coder", Step: "s1", CallID: "c1",
		Tool: s.Tool.Spec().Name, Args: json.RawMessage(args), Workspace: ws,
	}
}

func (s toolSuite) declares(t *testing.T) {
	t.Parallel()
	spec := s.Tool.Spec()
	for what, missing := range map[string]bool{
		"name":        spec.Name == "" || strings.ContainsAny(spec.Name, " .:/"),
		"description": strings.TrimSpace(spec.Description) == "",
		"effects":     spec.Effects == 0 || spec.Effects.Has(writ.EffectNone) && spec.Effects != writ.EffectNone,
		"guard":       spec.Guard == nil,
	} {
		if missing {
			t.Errorf("the declaration's %s is missing or unusable", what)
		}
	}
	var schema struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Additional *bool                      `json:"additionalProperties"`
	}
	if err := json.Unmarshal(spec.Schema, &schema); err != nil {
		t.Fatalf("the schema cannot be read: %v", err)
	}
	if schema.Type != "object" {
		t.Errorf("the schema is of type %q, want object", schema.Type)
	}
	for _, name := range schema.Required {
		if _, ok := schema.Properties[name]; !ok {
			t.Errorf("the schema requires %q and does not describe it", name)
		}
	}
	again := s.Tool.Spec()
	if diff := cmp.Diff(string(spec.Schema), string(again.Schema)); diff != "" || spec.Name != again.Name || spec.Effects != again.Effects {
		t.Errorf("a second Spec differs:\n%s", diff)
	}
}

func (s toolSuite) judges(t *testing.T) {
	t.Parallel()
	for _, args := range append(hostileArgs(), s.Args...) {
		ws := s.Workspace()
		before := stateOf(ws)
		err := s.Tool.Spec().Guard.Judge(t.Context(), s.invocation(ws, args))
		var told *writ.Error
		if err != nil && !errors.As(err, &told) {
			t.Errorf("Judge(%s) = %v, want nil or a *writ.Error", args, err)
		}
		if diff := cmp.Diff(before, stateOf(ws)); diff != "" {
			t.Errorf("Judge(%s) had an effect:\n%s", args, diff)
		}
	}
}

func (s toolSuite) succeeds(t *testing.T) {
	t.Parallel()
	for _, args := range s.Args {
		ws := s.Workspace()
		in := s.invocation(ws, args)
		if err := s.Tool.Spec().Guard.Judge(t.Context(), in); err != nil {
			t.Errorf("Judge(%s) = %v", args, err)
			continue
		}
		data, err := s.Tool.Call(t.Context(), in)
		if err != nil {
			t.Errorf("Call(%s) = %v", args, err)
			continue
		}
		raw, err := json.Marshal(data)
		if err != nil {
			t.Errorf("the result of Call(%s) cannot be encoded: %v", args, err)
		}
		if !utf8.Valid(raw) {
			t.Errorf("the result of Call(%s) is not UTF-8", args)
		}
	}
}

func (s toolSuite) keepsToEffects(t *testing.T) {
	t.Parallel()
	if s.Tool.Spec().Effects.Has(writ.EffectWrite) {
		t.Skip("the tool declares that it writes")
	}
	for _, args := range s.Args {
		ws := s.Workspace()
		before := ws.Changes()
		if _, err := s.Tool.Call(t.Context(), s.invocation(ws, args)); err != nil {
			t.Errorf("Call(%s) = %v", args, err)
		}
		if diff := cmp.Diff(before, ws.Changes()); diff != "" {
			t.Errorf("Call(%s) staged a change, which its effects do not declare:\n%s", args, diff)
		}
	}
}

func (s toolSuite) survives(t *testing.T) {
	t.Parallel()
	for _, args := range hostileArgs() {
		_, err := s.Tool.Call(t.Context(), s.invocation(s.Workspace(), args))
		var told *writ.Error
		if err == nil || !errors.As(err, &told) {
			continue // an answer, or the end of the task: neither is a crash
		}
		if told.Code == "" || told.Error() == "" {
			t.Errorf("Call(%s) = %#v, want a code and a message", args, told)
		}
	}
}

func (s toolSuite) ends(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ws := s.Workspace()
	before := ws.Changes()
	if _, err := s.Tool.Call(ctx, s.invocation(ws, s.Args[0])); err != nil && !errors.Is(err, context.Canceled) {
		var told *writ.Error
		if !errors.As(err, &told) {
			t.Errorf("Call with an ended context = %v, want the context's error", err)
		}
	}
	if diff := cmp.Diff(before, ws.Changes()); diff != "" {
		t.Errorf("Call with an ended context staged a change:\n%s", diff)
	}
}

func (s toolSuite) concurrent(t *testing.T) {
	t.Parallel()
	const callers = 8
	errs := make([]error, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			for _, args := range s.Args {
				if _, err := s.Tool.Call(t.Context(), s.invocation(s.Workspace(), args)); err != nil {
					errs[i] = fmt.Errorf("call %s: %w", args, err)
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// hostileArgs are arguments that a model may send and that no tool expects.
func hostileArgs() []string {
	return []string{
		``, `null`, `[]`, `"text"`, `{}`, `{"path":null}`, `{"path":7}`, `{"path":""}`,
		`{"path":"../../etc/passwd","content":"x","from":"/etc/passwd","to":"~/.ssh/id"}`,
		`{"path":".git/config","content":"x","edits":[{"old":"","new":""}]}`,
		`{"path":"a\u0000b","pattern":"(","glob":"[","name":"../x","reason":""}`,
		`{"path":"` + strings.Repeat("x/", 5000) + `"}`,
		`{"pattern":"(((((a+)+)+)+)+)$","glob":"` + strings.Repeat("{a,", 30) + `"}`,
		`{"path":"a","offset":-1,"limit":9223372036854775807}`,
	}
}

// state is what a call may change in a workspace.
type state struct {
	Changes []writ.Change
	Files   map[string]string
	Shown   map[string]string
}

func stateOf(ws *Workspace) state {
	ws.mu.Lock()
	s := state{Files: make(map[string]string), Shown: make(map[string]string)}
	for name, content := range ws.disk {
		s.Files[name] = string(content)
	}
	for name, sha := range ws.shown {
		s.Shown[name] = sha
	}
	ws.mu.Unlock()
	s.Changes = ws.Changes()
	return s
}
