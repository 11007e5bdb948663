package writtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

// patience is how long a check waits for what must happen at once.
const patience = 10 * time.Second

// ProviderScript is the one answer that a provider under test is to give to
// every call. Its fields say what a model would have done, not how a wire says
// it.
type ProviderScript struct {
	Text      string
	Reasoning string
	Calls     []writ.ToolCall // ids are the server's
	Stop      writ.StopReason // StopEnd where empty
	Usage     *writ.ModelUsage
	// Cut ends the connection after half of the text, Hang keeps it open there
	// for ever, Refuse answers with a rate limit instead.
	Cut, Hang, Refuse bool
}

// TestProvider checks that a provider keeps the promises of [writ.Provider].
// open builds a provider whose model plays the script; it may be called many
// times, and cleans up through t.
func TestProvider(t *testing.T, open func(t *testing.T, script ProviderScript) writ.Provider) {
	t.Run("text", func(t *testing.T) {
		t.Parallel()
		providerText(t, open(t, ProviderScript{Text: "Hello, writ. 日本語 too.", Reasoning: "They greet.", Usage: &writ.ModelUsage{Input: 12, CacheRead: 4, Output: 5}}))
	})
	t.Run("calls", func(t *testing.T) {
		t.Parallel()
		providerCalls(t, open(t, ProviderScript{Calls: twoCalls(), Stop: writ.StopTools}))
	})
	t.Run("a cut by length runs nothing", func(t *testing.T) {
		t.Parallel()
		providerLength(t, open(t, ProviderScript{Calls: twoCalls(), Stop: writ.StopLength}))
	})
	t.Run("a broken stream is an error", func(t *testing.T) {
		t.Parallel()
		providerCut(t, open(t, ProviderScript{Text: strings.Repeat("half of it is lost ", 20), Cut: true}))
	})
	t.Run("a refusal is an error", func(t *testing.T) {
		t.Parallel()
		_, merr := drain(t, open(t, ProviderScript{Refuse: true}), t.Context(), providerRequest())
		if merr == nil || merr.Kind != writ.ModelRate {
			t.Fatalf("got %v, want a ModelError of kind %q", merr, writ.ModelRate)
		}
	})
	t.Run("cancelling ends it", func(t *testing.T) {
		t.Parallel()
		providerCancel(t, open(t, ProviderScript{Text: "Never ends. " + strings.Repeat("word ", 50), Hang: true}))
	})
	t.Run("breaking off ends it", func(t *testing.T) {
		t.Parallel()
		providerBreak(t, open(t, ProviderScript{Text: "Never ends. " + strings.Repeat("word ", 50), Hang: true}))
	})
	t.Run("the request stays as it is", func(t *testing.T) {
		t.Parallel()
		req := providerRequest()
		drain(t, open(t, ProviderScript{Text: "ok"}), t.Context(), req)
		if diff := cmp.Diff(providerRequest(), req); diff != "" {
			t.Errorf("Stream changed its request (-before +after):\n%s", diff)
		}
	})
	t.Run("concurrent streams stay apart", func(t *testing.T) {
		t.Parallel()
		providerConcurrent(t, open(t, ProviderScript{Text: "The same for everyone.", Calls: twoCalls(), Stop: writ.StopTools}))
	})
}

func twoCalls() []writ.ToolCall {
	return []writ.ToolCall{
		{ID: "call_a", Name: "read_file", Args: json.RawMessage(`{"path":"a.go"}`)},
		{ID: "call_b", Name: "write_file", Args: json.RawMessage(`{"path":"b.go","content":"package b\n"}`)},
	}
}

func providerRequest() *writ.Request {
	temperature := 0.1
	return &writ.Request{
		Task: "t_conformance", Agent: "coder", Model: "model-under-test", MaxTokens: 1000, Temperature: &temperature,
		Messages: []writ.Message{
			{Role: writ.RoleSystem, Content: "You are tested.", Cache: true},
			{Role: writ.RoleUser, Content: "Go on."},
			{Role: writ.RoleAssistant, Content: "I look.", Calls: []writ.ToolCall{{ID: "call_0", Name: "read_file", Args: json.RawMessage(`{"path":"go.mod"}`)}}},
			{Role: writ.RoleTool, CallID: "call_0", Name: "read_file", Content: `{"ok":true}`},
		},
		Tools: []writ.ModelTool{{Name: "read_file", Description: "Reads.", Schema: json.RawMessage(`{"type":"object"}`)}},
	}
}

// drain plays a stream and checks what holds for every one.
func drain(t *testing.T, p writ.Provider, ctx context.Context, req *writ.Request) (*writ.Response, *writ.ModelError) {
	t.Helper()
	resp, merr, err := collect(ctx, p, req)
	if err != nil {
		t.Fatal(err)
	}
	if resp != nil && resp.Usage.Source == "" {
		t.Error("the answer's usage has no source")
	}
	return resp, merr
}

// collect plays a stream; err says which promise it broke.
func collect(ctx context.Context, p writ.Provider, req *writ.Request) (resp *writ.Response, merr *writ.ModelError, err error) {
	if p.Name() == "" {
		return nil, nil, errors.New("the provider has no name")
	}
	var text, reasoning strings.Builder
	for ev, e := range p.Stream(ctx, req) {
		if resp != nil || merr != nil {
			return nil, nil, errors.New("an item follows the terminal one")
		}
		if e != nil {
			if !errors.As(e, &merr) {
				return nil, nil, fmt.Errorf("the terminal error is no *writ.ModelError: %w", e)
			}
			continue
		}
		if set := fields(ev); set != 1 {
			return nil, nil, fmt.Errorf("an event has %d fields set, not one: %+v", set, ev)
		}
		text.WriteString(ev.Text)
		reasoning.WriteString(ev.Reasoning)
		resp = ev.Done
	}
	switch {
	case resp == nil && merr == nil:
		return nil, nil, errors.New("the stream has no terminal item")
	case resp != nil && (resp.Text != text.String() || resp.Reasoning != reasoning.String()):
		return nil, nil, fmt.Errorf("the response is not what was streamed: %q and %q, not %q and %q", resp.Text, resp.Reasoning, text.String(), reasoning.String())
	case merr != nil && merr.Partial != nil && len(merr.Partial.Calls) > 0:
		return nil, nil, errors.New("a failed attempt has executable calls")
	}
	return resp, merr, nil
}

func fields(ev writ.ModelEvent) int {
	n := 0
	for _, set := range []bool{ev.Text != "", ev.Reasoning != "", ev.Done != nil} {
		if set {
			n++
		}
	}
	return n
}

func providerText(t *testing.T, p writ.Provider) {
	resp, merr := drain(t, p, t.Context(), providerRequest())
	if merr != nil {
		t.Fatal(merr)
	}
	got := writ.Response{Text: resp.Text, Reasoning: resp.Reasoning, Stop: resp.Stop, Usage: resp.Usage}
	want := writ.Response{
		Text: "Hello, writ. 日本語 too.", Reasoning: "They greet.", Stop: writ.StopEnd,
		Usage: writ.ModelUsage{Input: 12, CacheRead: 4, Output: 5, Source: writ.UsageReported},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	if resp.Model == "" {
		t.Error("the answer does not name its model")
	}
}

func providerCalls(t *testing.T, p writ.Provider) {
	resp, merr := drain(t, p, t.Context(), providerRequest())
	if merr != nil {
		t.Fatal(merr)
	}
	if resp.Stop != writ.StopTools || len(resp.Rejected) > 0 {
		t.Errorf("stop %q, rejected %v", resp.Stop, resp.Rejected)
	}
	seen := map[string]bool{"call_0": true} // it stands in the conversation
	var got []writ.ToolCall
	for _, c := range resp.Calls {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("call id %q is empty or not unique", c.ID)
		}
		seen[c.ID] = true
		got = append(got, writ.ToolCall{Name: c.Name, Args: c.Args})
	}
	var want []writ.ToolCall
	for _, c := range twoCalls() {
		want = append(want, writ.ToolCall{Name: c.Name, Args: c.Args})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if resp.Usage.Source != writ.UsageEstimated || resp.Usage.Input <= 0 || resp.Usage.Output <= 0 {
		t.Errorf("usage without a report is %+v, want an estimate", resp.Usage)
	}
}

func providerLength(t *testing.T, p writ.Provider) {
	resp, merr := drain(t, p, t.Context(), providerRequest())
	if merr != nil {
		t.Fatal(merr)
	}
	if resp.Stop != writ.StopLength || len(resp.Calls) != 0 || len(resp.Rejected) != len(twoCalls()) {
		t.Errorf("stop %q with %d calls and %d rejected, want %q with none and %d", resp.Stop, len(resp.Calls), len(resp.Rejected), writ.StopLength, len(twoCalls()))
	}
	for _, r := range resp.Rejected {
		if r.ID == "" || r.Why == "" {
			t.Errorf("a rejected call lacks its id or reason: %+v", r)
		}
	}
}

func providerCut(t *testing.T, p writ.Provider) {
	resp, merr := drain(t, p, t.Context(), providerRequest())
	if resp != nil {
		t.Fatalf("half an answer was taken for a whole one: %+v", resp)
	}
	if merr.Kind != writ.ModelTruncated && merr.Kind != writ.ModelTransport {
		t.Errorf("kind %q, want truncated or transport", merr.Kind)
	}
	if merr.Partial == nil || merr.Partial.Text == "" {
		t.Error("what had arrived is not in Partial")
	} else if merr.Partial.Usage.Source != writ.UsageEstimated {
		t.Errorf("usage of half an answer is %q, want estimated", merr.Partial.Usage.Source)
	}
}

func providerCancel(t *testing.T, p writ.Provider) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	reason := errors.New("a person pressed the key")
	done := make(chan error, 1)
	go func() {
		var last error
		for ev, err := range p.Stream(ctx, providerRequest()) {
			if ev.Text != "" {
				cancel(reason)
			}
			last = err
		}
		done <- last
	}()
	select {
	case err := <-done:
		var merr *writ.ModelError
		if !errors.As(err, &merr) || !errors.Is(err, reason) {
			t.Errorf("got %v, want a *writ.ModelError that wraps the cause", err)
		}
	case <-time.After(patience):
		t.Fatal("the stream went on after its context ended")
	}
}

func providerBreak(t *testing.T, p writ.Provider) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range p.Stream(t.Context(), providerRequest()) {
			break
		}
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("the stream did not end when its caller broke off")
	}
}

func providerConcurrent(t *testing.T, p writ.Provider) {
	var wg sync.WaitGroup
	texts := make([]string, 8)
	errs := make([]error, len(texts))
	for i := range texts {
		wg.Go(func() {
			resp, merr, err := collect(t.Context(), p, providerRequest())
			switch {
			case err != nil:
				errs[i] = err
			case merr != nil:
				errs[i] = merr
			default:
				texts[i] = fmt.Sprint(resp.Text, len(resp.Calls))
			}
		})
	}
	wg.Wait()
	for i := range texts {
		if errs[i] != nil || texts[i] != "The same for everyone.2" {
			t.Errorf("stream %d: %q, %v", i, texts[i], errs[i])
		}
	}
}
