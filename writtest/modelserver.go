package writtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Turn is one scripted answer of a [ModelServer].
type Turn struct {
	Text  string `json:"text,omitempty"`
	Calls []struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"calls,omitempty"`
	Input  int64 `json:"input,omitempty"`  // reported prompt tokens; 0 means 100
	Output int64 `json:"output,omitempty"` // reported completion tokens; 0 means 10
	Status int   `json:"status,omitempty"` // an HTTP error instead of an answer
	Repeat bool  `json:"repeat,omitempty"` // serve this turn for ever
}

// Script is what a model would say, by agent: the turns of an agent are served
// in order. An agent without a turn left is answered with HTTP 500.
type Script map[string][]Turn

// ModelServer is a model server on 127.0.0.1 that speaks OpenAI's chat
// completions, streamed, and plays a script. It finds the agent in the
// X-Writ-Agent header. It is safe for concurrent use.
type ModelServer struct {
	*httptest.Server

	mu     sync.Mutex
	script Script
	next   map[string]int
	bodies []string
	busy   time.Duration
}

// NewModelServer starts a server; Close ends it.
func NewModelServer(script Script) *ModelServer {
	s := &ModelServer{script: script, next: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Requests returns the bodies of all requests so far.
func (s *ModelServer) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.bodies...)
}

// Busy is the time that the server itself spent on its answers.
func (s *ModelServer) Busy() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy
}

func (s *ModelServer) serve(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	defer func() {
		s.mu.Lock()
		s.busy += time.Since(start)
		s.mu.Unlock()
	}()
	var body strings.Builder
	var req struct {
		Model string `json:"model"`
	}
	if err := json.NewDecoder(teeReader{r.Body, &body}).Decode(&req); err != nil {
		http.Error(w, `{"error":{"message":"not JSON"}}`, http.StatusBadRequest)
		return
	}
	turn, ok := s.take(r.Header.Get("X-Writ-Agent"), body.String())
	switch {
	case !ok:
		http.Error(w, `{"error":{"message":"the script has no turn left"}}`, http.StatusInternalServerError)
	case turn.Status != 0:
		http.Error(w, `{"error":{"message":"scripted failure"}}`, turn.Status)
	default:
		s.stream(w, req.Model, turn)
	}
}

func (s *ModelServer) take(agent, body string) (Turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies = append(s.bodies, body)
	turns, i := s.script[agent], s.next[agent]
	if i >= len(turns) {
		if n := len(turns); n > 0 && turns[n-1].Repeat {
			return turns[n-1], true
		}
		return Turn{}, false
	}
	s.next[agent]++
	return turns[i], true
}

// stream writes one answer as server-sent events: text, calls, finish, usage.
func (s *ModelServer) stream(w http.ResponseWriter, model string, t Turn) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta map[string]any, finish any) {
		chunk := map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}}
		writeEvent(w, chunk)
	}
	finish := "stop"
	if t.Text != "" {
		send(map[string]any{"role": "assistant", "content": t.Text}, nil)
	}
	for i, c := range t.Calls {
		finish = "tool_calls"
		send(map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": fmt.Sprintf("call_%d", i), "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": string(c.Args)},
		}}}, nil)
	}
	send(map[string]any{}, finish)
	usage := map[string]any{"prompt_tokens": orDefault(t.Input, 100), "completion_tokens": orDefault(t.Output, 10)}
	writeEvent(w, map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": model, "choices": []any{}, "usage": usage})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func writeEvent(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic("writtest: " + err.Error())
	}
	fmt.Fprintf(w, "data: %s\n\n", body)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func orDefault(n, def int64) int64 {
	if n == 0 {
		return def
	}
	return n
}

// teeReader copies what is read into a builder.
type teeReader struct {
	r interface{ Read([]byte) (int, error) }
	b *strings.Builder
}

// Read reads and copies.
func (t teeReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.b.Write(p[:n])
	return n, err
}
