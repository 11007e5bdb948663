package model_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
	"github.com/writ-dev/writ/internal/infra/model/anthropic"
	"github.com/writ-dev/writ/internal/infra/model/openai"
)

// ending is how a server leaves a connection.
type ending int

const (
	clean ending = iota
	reset        // in the middle, without a word
	hang         // open, and silent
)

// reply is one raw HTTP answer.
type reply struct {
	status int // 0: 200
	header map[string]string
	pieces []string // sent one by one
	end    ending
}

// server plays replies in order, the last one for ever.
type server struct {
	*httptest.Server

	mu      sync.Mutex
	replies []reply
	heads   []http.Header
	paths   []string
	bodies  []string
	gone    chan struct{} // a value for each connection that the client closed
}

func serve(t *testing.T, replies ...reply) *server {
	t.Helper()
	s := &server{replies: replies, gone: make(chan struct{}, 100)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	s.mu.Lock()
	s.heads, s.paths, s.bodies = append(s.heads, r.Header.Clone()), append(s.paths, r.URL.RequestURI()), append(s.bodies, string(body))
	rep := s.replies[0]
	if len(s.replies) > 1 {
		s.replies = s.replies[1:]
	}
	s.mu.Unlock()
	for name, value := range rep.header {
		w.Header().Set(name, value)
	}
	if rep.status != 0 {
		w.WriteHeader(rep.status)
	}
	for _, p := range rep.pieces {
		_, _ = io.WriteString(w, p)
		_ = http.NewResponseController(w).Flush()
	}
	switch rep.end {
	case clean:
	case reset:
		panic(http.ErrAbortHandler)
	case hang:
		<-r.Context().Done()
		s.gone <- struct{}{}
		panic(http.ErrAbortHandler)
	}
}

func (s *server) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

// last returns the newest request.
func (s *server) last(t *testing.T) (http.Header, string, map[string]any) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.bodies) == 0 {
		t.Fatal("no request came")
	}
	n := len(s.bodies) - 1
	var body map[string]any
	if err := json.Unmarshal([]byte(s.bodies[n]), &body); err != nil {
		t.Fatal(err)
	}
	return s.heads[n], s.paths[n], body
}

// wires are the two protocols under test.
type wireName string

const (
	chat     wireName = "openai"
	messages wireName = "anthropic"
)

func provider(t *testing.T, wire wireName, opts model.Options) writ.Provider {
	t.Helper()
	if opts.Name == "" {
		opts.Name = "under-test"
	}
	if opts.APIKey == "" {
		opts.APIKey = testKey
	}
	var p writ.Provider
	var err error
	if wire == chat {
		p, err = openai.New(opts)
	} else {
		p, err = anthropic.New(opts)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const testKey = "sk-test-0123456789abcdef"

func request() *writ.Request {
	return &writ.Request{
		Task: "t_1", Agent: "coder", Model: "m",
		Messages: []writ.Message{{Role: writ.RoleSystem, Content: "You write code."}, {Role: writ.RoleUser, Content: "Go."}},
	}
}

func events(pieces ...string) reply {
	return reply{header: map[string]string{"Content-Type": "text/event-stream"}, pieces: pieces}
}

// whole is an answer in one piece of JSON.
func whole(body string) reply {
	return reply{header: map[string]string{"Content-Type": "application/json"}, pieces: []string{body}}
}

func (r reply) ends(e ending) reply {
	r.end = e
	return r
}

// data is one event of a chat stream.
func data(body string) string { return "data: " + body + "\n\n" }

const done = "data: [DONE]\n\n"

// say is a chunk with text.
func say(text string) string {
	return data(fmt.Sprintf(`{"id":"c1","model":"m-1","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, text))
}

// fragments is a chunk with pieces of tool calls.
func fragments(list string) string {
	return data(`{"id":"c1","model":"m-1","choices":[{"index":0,"delta":{"tool_calls":[` + list + `]},"finish_reason":null}]}`)
}

// finish is a chunk with a finish reason.
func finish(reason string) string {
	return data(fmt.Sprintf(`{"id":"c1","model":"m-1","choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason))
}

// usage is the chunk after the end.
func usage(in, out int) string {
	return data(fmt.Sprintf(`{"id":"c1","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, in, out))
}

// ev is one event of a messages stream, named by its type.
func ev(body string) string {
	var e struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		panic(err) // a test's own text
	}
	return "event: " + e.Type + "\ndata: " + body + "\n\n"
}

// start is the head of a message.
func start() string {
	return ev(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m-1","content":[],"stop_reason":null,"usage":{"input_tokens":10,"output_tokens":1}}}`)
}

// textBlock is a whole block of text in two pieces.
func textBlock(i int, text string) string {
	half := len(text) / 2
	return ev(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":""}}`, i)) +
		textDelta(i, text[:half]) + textDelta(i, text[half:]) + blockStop(i)
}

func textDelta(i int, text string) string {
	return ev(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%q}}`, i, text))
}

func blockStop(i int) string { return ev(fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i)) }

// toolBlock is a whole tool call, its arguments in the given pieces.
func toolBlock(i int, id, name string, args ...string) string {
	var b strings.Builder
	b.WriteString(toolStart(i, id, name))
	for _, a := range args {
		b.WriteString(toolDelta(i, a))
	}
	b.WriteString(blockStop(i))
	return b.String()
}

func toolStart(i int, id, name string) string {
	return ev(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":%s,"name":%q,"input":{}}}`, i, quoted(id), name))
}

// quoted is a text as JSON.
func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(raw)
}

func toolDelta(i int, args string) string {
	return ev(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%q}}`, i, args))
}

// stopped is the end of a message.
func stopped(reason string) string {
	return ev(fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":3}}`, reason)) + ev(`{"type":"message_stop"}`)
}

// outcome is what came of one attempt, in the fields that a case is about.
type outcome struct {
	Text       string
	Reasoning  string
	Calls      []string // "name args"
	Rejected   []string // "name: why"
	Stop       writ.StopReason
	Usage      writ.ModelUsage
	Kind       writ.ModelErrorKind
	Status     int
	RetryAfter time.Duration
}

// attempt plays one stream to its end.
func attempt(t *testing.T, p writ.Provider, req *writ.Request) (outcome, *writ.Response, *writ.ModelError) {
	t.Helper()
	var resp *writ.Response
	var merr *writ.ModelError
	for e, err := range p.Stream(t.Context(), req) {
		if resp != nil || merr != nil {
			t.Fatal("an item follows the terminal one")
		}
		if err != nil {
			merr = err.(*writ.ModelError) //nolint:errorlint // the contract promises exactly this type
		}
		resp = e.Done
	}
	var out outcome
	switch {
	case resp != nil:
		out = outcome{Text: resp.Text, Reasoning: resp.Reasoning, Stop: resp.Stop, Usage: resp.Usage}
		for _, c := range resp.Calls {
			out.Calls = append(out.Calls, c.Name+" "+string(c.Args))
		}
		for _, r := range resp.Rejected {
			out.Rejected = append(out.Rejected, r.Name+": "+r.Why)
		}
	case merr != nil:
		out = outcome{Kind: merr.Kind, Status: merr.Status, RetryAfter: merr.RetryAfter}
		if len(merr.Msg) > 1000 || strings.ContainsFunc(merr.Error(), func(r rune) bool { return r < ' ' }) {
			t.Errorf("message is long or has control characters: %q", merr.Error())
		}
		if strings.Contains(merr.Error(), testKey) {
			t.Errorf("message holds the key: %q", merr.Error())
		}
		if merr.Partial != nil && len(merr.Partial.Calls) > 0 {
			t.Errorf("a failed attempt has executable calls: %v", merr.Partial.Calls)
		}
	default:
		t.Fatal("the stream has no terminal item")
	}
	return out, resp, merr
}
