package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
)

// canned is a transport that answers each request with the same bytes.
type canned struct {
	kind string
	body string
}

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {c.kind}},
		Body: io.NopCloser(strings.NewReader(c.body)), Request: req,
	}, nil
}

// FuzzStream feeds any bytes as an answer: there is one terminal item, and what
// is executable is whole.
func FuzzStream(f *testing.F) {
	chunk := func(s string) string { return "data: " + s + "\n\n" }
	for _, seed := range []string{
		chunk(`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`) + "data: [DONE]\n\n",
		chunk(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}}]}`) +
			chunk(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":"tool_calls"}]}`),
		chunk(`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":{"a":1,"a":2}}}]},"finish_reason":"length"}],"usage":null}`),
		chunk(`{"error":{"message":"x","code":503}}`), chunk(`null`), ": x\n\n", `{"choices":[]}`, `{"error":"x"}`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, body string, stream bool) {
		kind := "application/json"
		if stream {
			kind = "text/event-stream"
		}
		p, err := New(model.Options{Name: "fuzz", BaseURL: "http://fuzz.invalid", HTTPClient: &http.Client{Transport: canned{kind, body}}})
		if err != nil {
			t.Fatal(err)
		}
		ends := 0
		for ev, err := range p.Stream(t.Context(), &writ.Request{Model: "m"}) {
			if err == nil && ev.Done == nil {
				continue
			}
			ends++
			if ev.Done == nil {
				continue
			}
			for _, c := range ev.Done.Calls {
				var object map[string]json.RawMessage
				if c.ID == "" || c.Name == "" || json.Unmarshal(c.Args, &object) != nil || object == nil || ev.Done.Stop != writ.StopTools {
					t.Fatalf("executable call %+v in an answer that stopped with %q", c, ev.Done.Stop)
				}
			}
		}
		if ends != 1 {
			t.Fatalf("%d terminal items", ends)
		}
	})
}

// FuzzAssembler splits the arguments of two calls at any place: with an index
// on each piece they always come out as they were.
func FuzzAssembler(f *testing.F) {
	f.Add(`{"path":"a"}`, `{"path":"b"}`, 3, 5)
	f.Add(`{}`, `{"x":[1,2]}`, 0, 1)
	f.Fuzz(func(t *testing.T, a, b string, i, j int) {
		if !json.Valid([]byte(a)) || !json.Valid([]byte(b)) || i < 0 || j < 0 || i > len(a) || j > len(b) || !validCut(a, i) || !validCut(b, j) {
			return
		}
		w := newWire(nil, &writ.Request{})
		text := func(s string) json.RawMessage {
			raw, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}
		for _, f := range []fragment{
			{Index: number{0, true}, Function: callPayload{"f", text("")}},
			{Index: number{1, true}, Function: callPayload{"g", text("")}},
			{Index: number{0, true}, Function: callPayload{"", text(a[:i])}},
			{Index: number{1, true}, Function: callPayload{"", text(b[:j])}},
			{Index: number{0, true}, Function: callPayload{"", text(a[i:])}},
			{Index: number{1, true}, Function: callPayload{"", text(b[j:])}},
		} {
			if err := w.calls.add(f); err != nil {
				t.Fatal(err)
			}
		}
		calls := w.b.Calls()
		if len(calls) != 2 || calls[0].Args() != a || calls[1].Args() != b {
			t.Fatalf("got %d calls from %q and %q", len(calls), a, b)
		}
	})
}

// validCut reports whether both halves are text; JSON cannot carry others.
func validCut(s string, i int) bool {
	return strings.ToValidUTF8(s[:i], "?") == s[:i] && strings.ToValidUTF8(s[i:], "?") == s[i:]
}
