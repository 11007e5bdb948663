package registry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/registry"
)

var anyone = registry.Role{Agent: "coder", Allowed: []string{"tool"}}

func TestCallJudgesInOrder(t *testing.T) {
	t.Parallel()
	var steps []string
	s := spec("tool")
	s.Schema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`)
	s.Guard = guardFunc(func(_ context.Context, in writ.Invocation) error {
		steps = append(steps, "guard "+string(in.Args))
		if strings.Contains(string(in.Args), "13") {
			return fmt.Errorf("judge: %w", &writ.Error{Code: writ.CodeFileNotLocked, Path: "a.go", Msg: "not yours"})
		}
		return nil
	})
	r := newRegistry(t, fake{spec: s, call: func(_ context.Context, in writ.Invocation) (any, error) {
		steps = append(steps, "call as "+in.Agent)
		return nil, nil
	}})
	for _, step := range []struct {
		role registry.Role
		args string
		code writ.Code
	}{
		{registry.Role{Agent: "qa"}, `{"n":`, writ.CodeToolDenied},
		{anyone, `{"n":`, writ.CodeSchemaInvalid},
		{anyone, `{"n":"x"}`, writ.CodeSchemaInvalid},
		{anyone, `{"n":"13"}`, writ.CodeFileNotLocked},
		{anyone, `{"n":"14"}`, ""},
	} {
		_, refused := call(t, r, step.role, "tool", step.args)
		got := writ.Code("")
		if refused != nil {
			got = refused.Code
		}
		if got != step.code {
			t.Errorf("Call(%s) as %s gave %s, want %s", step.args, step.role.Agent, got, step.code)
		}
	}
	if diff := cmp.Diff([]string{`guard {"n":13}`, `guard {"n":14}`, "call as coder"}, steps); diff != "" {
		t.Errorf("steps:\n%s", diff)
	}
}

func TestCallTellsWhatTheModelCanMendAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		told bool
	}{
		"a refusal":           {&writ.Error{Code: writ.CodeStaleFile, Msg: "x"}, true},
		"a wrapped refusal":   {fmt.Errorf("call: %w", &writ.Error{Code: writ.CodeFileNotFound, Msg: "x"}), true},
		"a fault":             {errors.New("disk on fire"), false},
		"a fault with a code": {&writ.Error{Code: writ.CodeInternal, Msg: "disk on fire"}, false},
		"a cancellation":      {&writ.Error{Code: writ.CodeCancelled, Msg: "stopped"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRegistry(t, fake{spec: spec("tool"), call: func(context.Context, writ.Invocation) (any, error) { return nil, tc.err }})
			raw, refused, err := r.Call(t.Context(), anyone, writ.Invocation{Tool: "tool"})
			if tc.told {
				if err != nil || refused == nil || raw == nil {
					t.Errorf("Call = %s, %v, %v, want it told", raw, refused, err)
				}
				return
			}
			if !errors.Is(err, tc.err) || refused != nil || raw != nil {
				t.Errorf("Call = %s, %v, %v, want an internal error", raw, refused, err)
			}
		})
	}
}

func TestCallCatchesPanics(t *testing.T) {
	t.Parallel()
	boom := func(context.Context, writ.Invocation) error { panic("boom") }
	guarded := spec("tool")
	guarded.Guard = guardFunc(boom)
	for name, tool := range map[string]fake{
		"in the guard":  {spec: guarded},
		"in the tool":   {spec: spec("tool"), call: func(ctx context.Context, in writ.Invocation) (any, error) { return nil, boom(ctx, in) }},
		"in the result": {spec: spec("tool"), call: func(context.Context, writ.Invocation) (any, error) { return explosive{}, nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			r := registry.New(registry.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err := r.Register(tool); err != nil {
				t.Fatal(err)
			}
			_, refused, err := r.Call(t.Context(), anyone, writ.Invocation{Tool: "tool"})
			if err == nil || refused != nil || !strings.Contains(err.Error(), "tool tool: panic: boom") {
				t.Errorf("Call = %v, %v, want an internal error that names the tool", refused, err)
			}
			if strings.Contains(err.Error(), "goroutine") || !strings.Contains(log.String(), "goroutine") {
				t.Errorf("the stack belongs into the log alone: %v\n%s", err, log.String())
			}
		})
	}
}

type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("boom") }

func TestCallTimeout(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		effects writ.Effects
		listens bool
		takes   time.Duration
		code    writ.Code
	}{
		"in time":                          {writ.EffectRead, true, 59 * time.Second, ""},
		"too late":                         {writ.EffectRead, true, time.Hour, writ.CodeToolTimeout},
		"too late and deaf":                {writ.EffectWrite, false, time.Hour, writ.CodeToolTimeout},
		"a command has its own deadline":   {writ.EffectExec, true, time.Hour, ""},
		"a person may think for some time": {writ.EffectAsk, true, time.Hour, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := spec("tool")
				s.Effects = tc.effects
				r := newRegistry(t, fake{spec: s, call: func(ctx context.Context, _ writ.Invocation) (any, error) {
					timer := time.NewTimer(tc.takes)
					defer timer.Stop()
					if !tc.listens {
						<-timer.C
						return nil, nil
					}
					select {
					case <-timer.C:
						return nil, nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}})
				start := time.Now()
				_, refused := call(t, r, anyone, "tool", "{}")
				if tc.code == "" && refused != nil || tc.code != "" && (refused == nil || refused.Code != tc.code) {
					t.Errorf("refusal = %v, want %q", refused, tc.code)
				}
				if took := time.Since(start); tc.code != "" && took != registry.DefaultTimeout {
					t.Errorf("took %s, want %s", took, registry.DefaultTimeout)
				}
				time.Sleep(2 * time.Hour) // fake time: lets the deaf tool come to its end
			})
		})
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("a person stopped it")
		ctx, cancel := context.WithCancelCause(t.Context())
		r := newRegistry(t, fake{spec: spec("tool"), call: func(ctx context.Context, _ writ.Invocation) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		go func() {
			time.Sleep(time.Second)
			cancel(stop)
		}()
		raw, refused, err := r.Call(ctx, anyone, writ.Invocation{Tool: "tool"})
		if !errors.Is(err, stop) || refused != nil || raw != nil {
			t.Errorf("Call = %s, %v, %v, want the cause", raw, refused, err)
		}
	})
}

func TestResults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", registry.MaxText)
	for name, tc := range map[string]struct {
		data any
		want string // whole, or what it begins with
		code writ.Code
	}{
		"nothing":      {nil, `{"ok":true}`, ""},
		"empty":        {struct{}{}, `{"ok":true}`, ""},
		"fields":       {map[string]int{"a": 1}, `{"ok":true,"a":1}`, ""},
		"a list":       {[]int{1}, `{"ok":true,"result":[1]}`, ""},
		"a text":       {"a", `{"ok":true,"result":"a"}`, ""},
		"an own ok":    {map[string]bool{"ok": false}, `{"ok":true,"result":{"ok":false}}`, ""},
		"code":         {map[string]string{"a": "<b> & \u2028"}, `{"ok":true,"a":"<b> & \u2028"}`, ""},
		"broken bytes": {map[string]string{"a": "\xff"}, `{"ok":true,"a":"\ufffd"}`, ""},
		"a long text":  {map[string]string{"a": long}, `{"ok":true,"a":"ää`, ""},
		"a long list":  {strings.Split(strings.Repeat("line ", 100_000), " "), "", writ.CodeTooLarge},
		"own bound":    {sized{Text: strings.Repeat("x", 20_000)}, `{"ok":true,"text":"xx`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRegistry(t, fake{spec: spec("tool"), call: func(context.Context, writ.Invocation) (any, error) { return tc.data, nil }})
			raw, refused, err := r.Call(t.Context(), anyone, writ.Invocation{Tool: "tool"})
			if err != nil {
				t.Fatal(err)
			}
			if !json.Valid(raw) || !utf8.Valid(raw) || len(raw) > registry.MaxResult+100 {
				t.Fatalf("not a bounded JSON text: %.200s", raw)
			}
			if tc.code != "" {
				if refused == nil || refused.Code != tc.code {
					t.Fatalf("refusal = %v, want %s", refused, tc.code)
				}
				return
			}
			if !strings.HasPrefix(string(raw), tc.want) {
				t.Errorf("result = %.200s, want %s", raw, tc.want)
			}
			if note := fmt.Sprintf("[truncated: %d of %d bytes]", registry.MaxText, 2*registry.MaxText); name == "a long text" && !strings.Contains(string(raw), note) {
				t.Errorf("the cut text does not say %q", note)
			}
			if name == "own bound" && len(raw) < 20_000 {
				t.Error("a result with a bound of its own was cut")
			}
		})
	}
}

type sized struct {
	Text string `json:"text"`
}

func (sized) MaxText() int { return 30_000 }

// A result that cannot be encoded is a fault of its tool.
func TestResultThatCannotBeEncoded(t *testing.T) {
	t.Parallel()
	r := newRegistry(t, fake{spec: spec("tool"), call: func(context.Context, writ.Invocation) (any, error) { return make(chan int), nil }})
	if _, _, err := r.Call(t.Context(), anyone, writ.Invocation{Tool: "tool"}); err == nil {
		t.Error("Call = nil, want an internal error")
	}
}

func TestCallIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	r := newRegistry(t, fake{spec: spec("tool")})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			_ = r.Register(fake{spec: spec(fmt.Sprintf("tool%d", i))})
			for range 20 {
				if _, refused, err := r.Call(t.Context(), anyone, writ.Invocation{Tool: "Tool", Args: json.RawMessage(`{"a":[1]}`)}); err != nil || refused != nil {
					t.Errorf("Call = %v, %v", refused, err)
				}
				r.ModelTools(r.Names())
			}
		})
	}
	wg.Wait()
}

func TestTypedTool(t *testing.T) {
	t.Parallel()
	type args struct {
		Path string `json:"path"`
	}
	tool, err := registry.NewTool(registry.Typed[args]{
		Name: "tool", Description: " reads \n", Effects: writ.EffectRead, Guard: guardFunc(allow),
		Call: func(_ context.Context, _ writ.Invocation, a args) (any, error) { return a, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := newRegistry(t, tool)
	raw, refused, err := r.Call(t.Context(), anyone, writ.Invocation{Tool: "tool", Args: json.RawMessage(`{"path":"a"}`)})
	if err != nil || refused != nil || string(raw) != `{"ok":true,"path":"a"}` {
		t.Errorf("Call = %s, %v, %v", raw, refused, err)
	}
	if _, err := tool.Call(t.Context(), writ.Invocation{Args: json.RawMessage(`{"other":1}`)}); writ.CodeOf(err) != writ.CodeSchemaInvalid {
		t.Errorf("Call past the registry = %v, want SCHEMA_INVALID", err)
	}
	if _, err := registry.NewTool(registry.Typed[args]{Name: "tool"}); err == nil {
		t.Error("a tool without Call was made")
	}
	if _, err := registry.NewTool(registry.Typed[func()]{Name: "tool", Call: func(context.Context, writ.Invocation, func()) (any, error) { return nil, nil }}); err == nil {
		t.Error("a tool whose arguments have no schema was made")
	}
}
