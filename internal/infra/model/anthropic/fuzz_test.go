package anthropic

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
	event := func(s string) string { return "data: " + s + "\n\n" }
	for _, seed := range []string{
		event(`{"type":"message_start","message":{"usage":{"input_tokens":1}}}`) +
			event(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`) +
			event(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`) +
			event(`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`) + event(`{"type":"message_stop"}`),
		event(`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`),
		event(`{"type":"content_block_delta","index":9,"delta":{}}`), event(`null`), ": x\n\n",
		`{"type":"message","content":[{"type":"tool_use","id":"","name":"f","input":"x"}],"stop_reason":"max_tokens"}`,
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
