package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
	"github.com/writ-dev/writ/internal/infra/model/answer"
)

var _ answer.Wire = (*wire)(nil)

// wire reads one chat completion.
type wire struct {
	client  *model.Client
	b       *answer.Builder
	calls   *assembler
	model   string
	id      string
	finish  string
	refused bool // the model declined, in a field of its own
	done    bool
	ollama  bool
	usage   *writ.ModelUsage
}

func newWire(client *model.Client, req *writ.Request) *wire {
	b := answer.New(req)
	return &wire{client: client, b: b, calls: newAssembler(b), model: req.Model}
}

// Event takes one chunk.
func (w *wire) Event(_ string, data []byte) ([]writ.ModelEvent, *writ.ModelError) {
	if string(data) == "[DONE]" {
		w.done = true
		return nil, nil
	}
	if merr := w.client.ErrorObject(data, writ.ModelOverload); merr != nil {
		return nil, merr
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, &writ.ModelError{Kind: writ.ModelProtocol, Msg: "a chunk of the stream is not one of chat completions: " + w.client.Clean(string(data)), Err: err}
	}
	return w.take(c)
}

// Whole takes a completion that came in one piece.
func (w *wire) Whole(raw json.RawMessage) ([]writ.ModelEvent, *writ.ModelError) {
	var c chunk
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil || keys["choices"] == nil || json.Unmarshal(raw, &c) != nil {
		return nil, &writ.ModelError{Kind: writ.ModelProtocol, Msg: "the answer is JSON but not a chat completion: " + w.client.Clean(string(raw))}
	}
	return w.take(c)
}

func (w *wire) take(c chunk) ([]writ.ModelEvent, *writ.ModelError) {
	if c.Model != "" {
		w.model = string(c.Model)
	}
	if w.id == "" {
		w.id = string(c.ID)
	}
	w.ollama = w.ollama || c.Fingerprint == "fp_ollama"
	for _, raw := range []json.RawMessage{c.Groq.Usage, c.Usage} {
		if u := report(raw); u != nil {
			w.usage = u // each report covers the whole answer: the last one counts
		}
	}
	var events []writ.ModelEvent
	for _, ch := range c.Choices {
		if ch.Index.set && ch.Index.n != 0 {
			continue // only one answer was asked for
		}
		for _, m := range []message{ch.Delta, ch.Message} {
			more, err := w.message(m)
			events = append(events, more...)
			if err != nil {
				return events, answer.Endless(err)
			}
		}
		if ch.FinishReason != "" {
			w.finish = string(ch.FinishReason)
		}
	}
	return events, nil
}

func (w *wire) message(m message) ([]writ.ModelEvent, error) {
	var events []writ.ModelEvent
	thought := string(m.ReasoningContent)
	if thought == "" {
		thought = string(m.Reasoning) // some servers send both, with the same text
	}
	thought += string(m.Thinking) + m.Content.thought
	more, err := w.b.Reasoning(thought)
	if err != nil {
		return nil, err
	}
	events = append(events, more...)
	if m.Refusal != "" {
		w.refused = true
	}
	more, err = w.b.Text(m.Content.text + string(m.Refusal))
	if err != nil {
		return events, err
	}
	events = append(events, more...)
	fragments := m.ToolCalls
	if m.FunctionCall != nil {
		fragments = append(fragments, fragment{Index: number{0, true}, Function: *m.FunctionCall})
	}
	for _, f := range fragments {
		if err := w.calls.add(f); err != nil {
			return events, err
		}
	}
	return events, nil
}

// Progress says whether a finish reason or the closing mark was there.
func (w *wire) Progress() answer.Progress {
	switch {
	case w.done:
		return answer.Closed
	case w.finish != "":
		return answer.Finished
	}
	return answer.Open
}

// Flush returns what was held back.
func (w *wire) Flush() []writ.ModelEvent { return w.b.Flush() }

// Ollama reports whether the server named itself so.
func (w *wire) Ollama() bool { return w.ollama }

// Response is the finished answer.
func (w *wire) Response() (*writ.Response, *writ.ModelError) {
	stop, merr := w.stop()
	if merr != nil {
		return nil, merr
	}
	resp := w.b.Response(stop)
	resp.Usage = w.b.Usage(w.usage, w.client.Count())
	resp.Model, resp.RequestID = w.model, w.id
	resp.Opaque = w.opaque(resp)
	return resp, nil
}

// stop reads the finish reason, in the words of the servers that we know.
func (w *wire) stop() (writ.StopReason, *writ.ModelError) {
	switch strings.ToLower(w.finish) {
	case "":
		return "", &writ.ModelError{Kind: writ.ModelTruncated, Msg: "the answer ended without a finish reason", Err: io.ErrUnexpectedEOF}
	case "stop", "eos", "end_turn", "stop_sequence", "tool_calls", "tool_call", "tool_use", "function_call":
		if w.refused {
			return writ.StopFilter, nil
		}
		return writ.StopEnd, nil
	case "length", "max_tokens", "model_length", "max_output_tokens":
		return writ.StopLength, nil
	case "content_filter", "safety", "recitation", "sensitive", "refusal", "prohibited_content", "blocklist":
		return writ.StopFilter, nil
	case "error", "abort", "network_error", "insufficient_system_resource":
		return "", &writ.ModelError{Kind: writ.ModelOverload, Msg: fmt.Sprintf("the server ended the answer with %q", w.finish)}
	default:
		return "", &writ.ModelError{Kind: writ.ModelProtocol, Msg: "unknown finish reason " + w.client.Clean(w.finish)}
	}
}

// opaque keeps what the server may want back with the next turn.
func (w *wire) opaque(resp *writ.Response) json.RawMessage {
	own := opaque{Provider: w.client.Name()}
	if len(resp.Calls) > 0 {
		if wantsThoughts(w.client.Host()) {
			own.Reasoning = resp.Reasoning
		}
		own.Extra = w.extra(resp)
	}
	if own.Reasoning == "" && len(own.Extra) == 0 {
		return nil
	}
	raw, err := json.Marshal(own)
	if err != nil {
		return nil // an extra that is no JSON cannot be returned either
	}
	return raw
}

// extra finds what came attached to the executable calls.
func (w *wire) extra(resp *writ.Response) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, c := range w.b.Calls() {
		runs := slices.ContainsFunc(resp.Calls, func(call writ.ToolCall) bool { return call.ID == c.ID })
		if runs && len(c.Extra) > 0 {
			out[c.ID] = c.Extra
		}
	}
	return out
}

// Partial is what there is of an answer that broke off.
func (w *wire) Partial() *writ.Response {
	resp := w.b.Partial()
	resp.Usage = w.b.PartialUsage(w.usage, w.client.Count())
	resp.Model = w.model
	return resp
}
