package anthropic

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
	"github.com/writ-dev/writ/internal/infra/model/answer"
)

// maxBlocks bounds the content blocks of one answer.
const maxBlocks = 4096

var _ answer.Wire = (*wire)(nil)

// wire reads one message.
type wire struct {
	client   *model.Client
	b        *answer.Builder
	blocks   map[int]*open // by index
	thinking []*open       // in order
	tools    []*open
	count    int
	model    string
	id       string
	stop     string
	done     bool
	usage    *usage
}

// open is a content block that is being received.
type open struct {
	kind      string
	call      *answer.Call    // of a tool_use block
	input     json.RawMessage // whole arguments that came with the block's head
	thought   strings.Builder
	signature strings.Builder
	data      string // of a redacted block
}

func newWire(client *model.Client, req *writ.Request) *wire {
	return &wire{client: client, b: answer.New(req), blocks: map[int]*open{}, model: req.Model}
}

// Event takes one event.
func (w *wire) Event(_ string, data []byte) ([]writ.ModelEvent, *writ.ModelError) {
	if merr := w.client.ErrorObject(data, writ.ModelOverload); merr != nil {
		return nil, merr
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, &writ.ModelError{Kind: writ.ModelProtocol, Msg: "an event of the stream is not one of the messages API: " + w.client.Clean(string(data)), Err: err}
	}
	switch e.Type {
	case "message_start":
		w.head(e.Message)
	case "content_block_start":
		return w.wrap(w.start(e.Index, e.ContentBlock))
	case "content_block_delta":
		return w.delta(e.Index, e.Delta)
	case "message_delta":
		if e.Delta.StopReason != "" {
			w.stop = e.Delta.StopReason
		}
		w.usage = w.usage.merge(e.Usage)
	case "message_stop":
		w.done = true
	}
	return nil, nil // pings, ends of blocks, and what later versions may add
}

// Whole takes a message that came in one piece.
func (w *wire) Whole(raw json.RawMessage) ([]writ.ModelEvent, *writ.ModelError) {
	var m apiMessage
	if json.Unmarshal(raw, &m) != nil || m.Type != "message" {
		return nil, &writ.ModelError{Kind: writ.ModelProtocol, Msg: "the answer is JSON but not a message: " + w.client.Clean(string(raw))}
	}
	w.head(m)
	var events []writ.ModelEvent
	for i, raw := range m.Content {
		var b contentBlock
		if json.Unmarshal(raw, &b) != nil {
			return events, &writ.ModelError{Kind: writ.ModelProtocol, Msg: "a content block cannot be read: " + w.client.Clean(string(raw))}
		}
		more, merr := w.wrap(w.start(i, b))
		events = append(events, more...)
		if merr != nil {
			return events, merr
		}
	}
	w.stop = m.StopReason
	return events, nil
}

func (w *wire) head(m apiMessage) {
	if m.Model != "" {
		w.model = m.Model
	}
	w.id = m.ID
	w.usage = w.usage.merge(m.Usage)
}

// wrap makes a builder's error the terminal one.
func (w *wire) wrap(events []writ.ModelEvent, err error) ([]writ.ModelEvent, *writ.ModelError) {
	if err != nil {
		return events, answer.Endless(err)
	}
	return events, nil
}

// start opens a block, with whatever content its head has already.
func (w *wire) start(index int, head contentBlock) ([]writ.ModelEvent, error) {
	if w.count++; w.count > maxBlocks {
		return nil, errors.Join(answer.ErrEndless, errors.New("too many content blocks"))
	}
	b := &open{kind: head.Type}
	w.blocks[index] = b
	switch head.Type {
	case "text":
		return w.b.Text(head.Text)
	case "thinking", "redacted_thinking":
		b.thought.WriteString(head.Thinking)
		b.signature.WriteString(head.Signature)
		b.data = head.Data
		w.thinking = append(w.thinking, b)
		return w.b.Reasoning(head.Thinking)
	case "tool_use":
		call, err := w.b.Open(head.ID, head.Name)
		if err != nil {
			return nil, err
		}
		b.call, b.input = call, head.Input
		w.tools = append(w.tools, b)
	}
	return nil, nil
}

func (w *wire) delta(index int, d delta) ([]writ.ModelEvent, *writ.ModelError) {
	b := w.blocks[index]
	if b == nil {
		return nil, &writ.ModelError{Kind: writ.ModelProtocol, Msg: "a piece came for a content block that was never opened"}
	}
	switch d.Type {
	case "text_delta":
		return w.wrap(w.b.Text(d.Text))
	case "thinking_delta":
		b.thought.WriteString(d.Thinking)
		return w.wrap(w.b.Reasoning(d.Thinking))
	case "signature_delta":
		b.signature.WriteString(d.Signature)
	case "input_json_delta":
		if b.call == nil {
			return nil, &writ.ModelError{Kind: writ.ModelProtocol, Msg: "arguments came for a content block that is no tool call"}
		}
		return w.wrap(nil, w.b.Append(b.call, d.PartialJSON))
	}
	return nil, nil
}

// Progress says whether a stop reason or the closing event was there.
func (w *wire) Progress() answer.Progress {
	switch {
	case w.done:
		return answer.Closed
	case w.stop != "":
		return answer.Finished
	}
	return answer.Open
}

// Flush returns what was held back.
func (w *wire) Flush() []writ.ModelEvent { return w.b.Flush() }

// Response is the finished answer.
func (w *wire) Response() (*writ.Response, *writ.ModelError) {
	stop, merr := w.reason()
	if merr != nil {
		return nil, merr
	}
	if err := w.inputs(); err != nil {
		return nil, answer.Endless(err)
	}
	resp := w.b.Response(stop)
	resp.Usage = w.b.Usage(w.usage.total(), w.client.Count())
	resp.Model, resp.RequestID = w.model, w.id
	resp.Opaque = w.opaque()
	return resp, nil
}

// inputs takes the arguments of calls that came whole with their head. The
// usual head has an empty object there, which the pieces replace.
func (w *wire) inputs() error {
	for _, b := range w.tools {
		if b.call.Args() != "" || len(b.input) == 0 || string(b.input) == "null" {
			continue
		}
		if err := w.b.Append(b.call, string(b.input)); err != nil {
			return err
		}
	}
	return nil
}

func (w *wire) reason() (writ.StopReason, *writ.ModelError) {
	switch w.stop {
	case "":
		return "", &writ.ModelError{Kind: writ.ModelTruncated, Msg: "the answer ended without a stop reason", Err: io.ErrUnexpectedEOF}
	case "end_turn", "stop_sequence", "tool_use", "pause_turn":
		return writ.StopEnd, nil
	case "max_tokens", "model_context_window_exceeded":
		return writ.StopLength, nil
	case "refusal":
		return writ.StopFilter, nil
	default:
		return "", &writ.ModelError{Kind: writ.ModelProtocol, Msg: "unknown stop reason " + w.client.Clean(w.stop)}
	}
}

// opaque keeps the thinking blocks as the API wants them back.
func (w *wire) opaque() json.RawMessage {
	own := opaque{Provider: w.client.Name()}
	for _, b := range w.thinking {
		var block any = struct {
			Type      string `json:"type"`
			Thinking  string `json:"thinking"`
			Signature string `json:"signature"`
		}{b.kind, b.thought.String(), b.signature.String()}
		if b.kind == "redacted_thinking" {
			block = struct {
				Type string `json:"type"`
				Data string `json:"data"`
			}{b.kind, b.data}
		}
		raw, err := json.Marshal(block)
		if err != nil {
			return nil // strings always encode
		}
		own.Thinking = append(own.Thinking, raw)
	}
	if len(own.Thinking) == 0 {
		return nil
	}
	raw, err := json.Marshal(own)
	if err != nil {
		return nil
	}
	return raw
}

// Partial is what there is of an answer that broke off.
func (w *wire) Partial() *writ.Response {
	resp := w.b.Partial()
	resp.Usage = w.b.PartialUsage(w.usage.total(), w.client.Count())
	resp.Model = w.model
	return resp
}
