package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model/count"
)

// Bounds of one answer, in bytes.
const (
	maxArgs = 8 << 20 // of all calls' arguments together
	maxText = 8 << 20 // of text and reasoning together
	maxRaw  = 2 << 10 // what a rejected call shows of itself
)

// maxCalls bounds the calls of one answer.
const maxCalls = 256

// ErrEndless is returned when an answer goes on without end.
var ErrEndless = errors.New("the answer does not end")

// Builder collects one answer. It is for one goroutine.
type Builder struct {
	req       *writ.Request
	text      strings.Builder
	reasoning strings.Builder
	split     splitter
	loop      repetition
	pieces    int
	calls     []*Call
	args      int
}

// New begins an answer to a request.
func New(req *writ.Request) *Builder {
	return &Builder{req: req, split: splitter{blank: true, first: true}}
}

// Call is a tool call that is still being received.
type Call struct {
	ID    string // the server's; after Response the one that the call goes by
	Name  string
	Extra json.RawMessage // what the server wants back with the call
	args  strings.Builder
}

// Args is what has come of the arguments.
func (c *Call) Args() string { return c.args.String() }

// Text takes a piece of text and returns the events to hand on: think blocks
// come out as reasoning, and the begin of what may be a tag is held back.
func (b *Builder) Text(piece string) ([]writ.ModelEvent, error) {
	if piece == "" {
		return nil, nil
	}
	if err := b.bound(piece); err != nil {
		return nil, err
	}
	return b.take(b.split.push(piece)), nil
}

// Reasoning takes a piece of reasoning that the server kept apart itself.
func (b *Builder) Reasoning(piece string) ([]writ.ModelEvent, error) {
	if piece == "" {
		return nil, nil
	}
	if err := b.bound(piece); err != nil {
		return nil, err
	}
	return b.take([]part{{thought: true, text: piece}}), nil
}

// Flush returns what was held back, once the stream is over.
func (b *Builder) Flush() []writ.ModelEvent { return b.take(b.split.flush()) }

func (b *Builder) take(parts []part) []writ.ModelEvent {
	var events []writ.ModelEvent
	for _, p := range parts {
		switch {
		case p.text == "":
		case p.thought:
			b.reasoning.WriteString(p.text)
			events = append(events, writ.ModelEvent{Reasoning: p.text})
		default:
			b.text.WriteString(p.text)
			events = append(events, writ.ModelEvent{Text: p.text})
		}
	}
	return events
}

// bound judges a piece before it is kept. A finished answer in a few large
// pieces may be as long as memory allows; one that trickles on beyond all
// proportion to its limit, or in circles, is given up.
func (b *Builder) bound(piece string) error {
	b.pieces++
	n := b.text.Len() + b.reasoning.Len() + len(piece)
	if n > maxText {
		return fmt.Errorf("%w: it is over %d bytes", ErrEndless, maxText)
	}
	if limit := 32*b.req.MaxTokens + 256<<10; b.req.MaxTokens > 0 && b.pieces > 1024 && n > limit {
		return fmt.Errorf("%w: it is over %d bytes, and its limit was %d tokens", ErrEndless, limit, b.req.MaxTokens)
	}
	if b.loop.add(piece) {
		return fmt.Errorf("%w: it repeats itself, and was cut after %d bytes", ErrEndless, n)
	}
	return nil
}

// Open begins a tool call.
func (b *Builder) Open(id, name string) (*Call, error) {
	if len(b.calls) >= maxCalls {
		return nil, fmt.Errorf("%w: it has over %d tool calls", ErrEndless, maxCalls)
	}
	c := &Call{ID: id, Name: name}
	b.calls = append(b.calls, c)
	return c, nil
}

// Append adds a piece to a call's arguments.
func (b *Builder) Append(c *Call, piece string) error {
	if b.args += len(piece); b.args > maxArgs {
		return fmt.Errorf("%w: its arguments are over %d bytes", ErrEndless, maxArgs)
	}
	c.args.WriteString(piece)
	return nil
}

// Calls are the calls so far, in order.
func (b *Builder) Calls() []*Call { return b.calls }

// Response is the whole answer of a model that stopped for the given reason.
// Flush must have been called.
func (b *Builder) Response(stop writ.StopReason) *writ.Response {
	resp := &writ.Response{Text: b.text.String(), Reasoning: b.reasoning.String(), Stop: stop}
	if !b.split.seen {
		resp.Text, resp.Reasoning = closeOnly(resp.Text, resp.Reasoning)
	}
	refused := ""
	switch stop {
	case writ.StopLength:
		refused = "the answer was cut by the output limit, so nothing of this call was done"
	case writ.StopFilter:
		refused = "the answer was stopped by the provider's filter, so nothing of this call was done"
	case writ.StopEnd, writ.StopTools:
		resp.Stop = writ.StopEnd
		if len(b.calls) > 0 {
			resp.Stop = writ.StopTools
		}
	}
	b.judge(resp, refused)
	return resp
}

// Partial is what there is of an answer that broke off. Its calls are all
// rejected.
func (b *Builder) Partial() *writ.Response {
	b.Flush()
	resp := &writ.Response{Text: b.text.String(), Reasoning: b.reasoning.String()}
	b.judge(resp, "the answer broke off, so nothing of this call was done")
	return resp
}

// judge sorts the calls into executable and rejected ones.
func (b *Builder) judge(resp *writ.Response, refused string) {
	ids := newIDs(b.req)
	for i, c := range b.calls {
		id := ids.of(c.ID, i)
		c.ID = id
		args, why := Arguments(c.Args())
		switch {
		case refused != "":
			why = refused
		case why != "":
		case c.Name == "":
			why = "the call names no tool"
		case len(c.Name) > 256:
			why = "the tool's name is over 256 bytes"
		}
		if why == "" {
			resp.Calls = append(resp.Calls, writ.ToolCall{ID: id, Name: c.Name, Args: args})
			continue
		}
		resp.Rejected = append(resp.Rejected, writ.RejectedCall{ID: id, Name: cut(c.Name, 256), Raw: cut(c.Args(), maxRaw), Why: why})
	}
}

// Usage is what the server reported, or, where it reported nothing, an estimate
// that says so.
func (b *Builder) Usage(reported *writ.ModelUsage, counter *count.Counter) writ.ModelUsage {
	if reported != nil {
		u := *reported
		u.Source = writ.UsageReported
		return u
	}
	return b.estimate(counter)
}

// PartialUsage is what an answer that broke off used at least: a report that
// came with its first half does not count what followed, so the result is an
// estimate whatever was reported.
func (b *Builder) PartialUsage(reported *writ.ModelUsage, counter *count.Counter) writ.ModelUsage {
	u := b.estimate(counter)
	if reported != nil {
		u.Input, u.CacheRead, u.CacheWrite = reported.Input, reported.CacheRead, reported.CacheWrite
		u.Output = max(u.Output, reported.Output)
		u.Reasoning = max(u.Reasoning, reported.Reasoning)
	}
	return u
}

func (b *Builder) estimate(counter *count.Counter) writ.ModelUsage {
	u := writ.ModelUsage{Source: writ.UsageEstimated, Input: counter.EstimateRequest(b.req)}
	u.Reasoning = counter.Estimate(b.req.Model, b.reasoning.String())
	u.Output = u.Reasoning + counter.Estimate(b.req.Model, b.text.String())
	for _, c := range b.calls {
		u.Output += counter.Estimate(b.req.Model, c.Name) + counter.Estimate(b.req.Model, c.Args())
	}
	return u
}

// cut shortens a text to n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "")
}
