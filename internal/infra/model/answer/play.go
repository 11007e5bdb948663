package answer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
)

// afterEnd is how long a finished answer is waited on for its usage and its
// closing mark. A server that sends neither costs no more than this.
const afterEnd = 5 * time.Second

// Progress says how far a wire's stream has come.
type Progress int

// The steps of a stream.
const (
	Open     Progress = iota // the answer is not finished
	Finished                 // the model gave its reason to stop; usage may follow
	Closed                   // the closing mark was there: nothing follows
)

// Wire reads one answer in one protocol. It is for one goroutine.
type Wire interface {
	// Event takes one event of a stream, Whole an answer in one piece. Both
	// return the pieces to hand on. An error ends the answer.
	Event(name string, data []byte) ([]writ.ModelEvent, *writ.ModelError)
	Whole(raw json.RawMessage) ([]writ.ModelEvent, *writ.ModelError)
	// Progress says whether the model has finished.
	Progress() Progress
	// Flush returns what was held back.
	Flush() []writ.ModelEvent
	// Response is the finished answer, Partial what there is of another.
	Response() (*writ.Response, *writ.ModelError)
	Partial() *writ.Response
}

// Exchange is one request on its way to a server.
type Exchange struct {
	Client  *model.Client
	Request *writ.Request
	Body    []byte
	Header  http.Header
	Wire    Wire
}

// Play sends the request once and yields its answer as [writ.Provider]
// promises.
func (x Exchange) Play(ctx context.Context, yield func(writ.ModelEvent, error) bool) {
	stream, merr := x.Client.Post(ctx, x.Request, x.Body, x.Header)
	if merr != nil {
		yield(writ.ModelEvent{}, merr)
		return
	}
	defer stream.Close()
	out := &outlet{yield: yield}
	if stream.Whole != nil {
		events, merr := x.Wire.Whole(stream.Whole)
		if !out.send(events) {
			return
		}
		x.end(out, stream, merr)
		return
	}
	merr, stopped := x.listen(ctx, stream, out)
	if stopped {
		return
	}
	x.end(out, stream, merr)
	if merr == nil && x.Wire.Progress() == Closed {
		stream.Drain()
	}
}

// listen reads events until the answer is over. stopped says that the caller
// broke off.
func (x Exchange) listen(ctx context.Context, stream *model.Stream, out *outlet) (merr *writ.ModelError, stopped bool) {
	finishing := false
	for {
		ev, err := stream.Events.Next()
		if err != nil {
			whole := errors.Is(err, io.EOF) || x.Wire.Progress() != Open && ctx.Err() == nil
			if whole {
				return nil, false
			}
			return stream.Broken(err), false
		}
		data := bytes.TrimSpace(ev.Data)
		if len(data) == 0 || string(data) == "null" {
			continue
		}
		events, merr := x.Wire.Event(ev.Name, data)
		if !out.send(events) {
			return nil, true
		}
		if merr != nil {
			return merr, false
		}
		switch x.Wire.Progress() {
		case Open:
		case Finished:
			if !finishing {
				finishing = true
				stream.Finishing(afterEnd)
			}
		case Closed:
			return nil, false
		}
	}
}

// end yields the terminal item.
func (x Exchange) end(out *outlet, stream *model.Stream, merr *writ.ModelError) {
	var resp *writ.Response
	if merr == nil {
		if !out.send(x.Wire.Flush()) {
			return
		}
		resp, merr = x.Wire.Response()
	}
	if merr == nil {
		merr = PromptCut(x.Request, resp.Usage, x.Client.Host(), x.ollama())
	}
	if merr != nil {
		merr.Partial = x.Wire.Partial()
		if resp != nil {
			merr.Partial.Usage = resp.Usage // it was whole, and so is its bill
		}
		merr.Partial.RequestID = stream.RequestID
		out.yield(writ.ModelEvent{}, merr)
		return
	}
	if stream.RequestID != "" {
		resp.RequestID = stream.RequestID
	}
	out.yield(writ.ModelEvent{Done: resp}, nil)
}

// ollama reports whether the server named itself as Ollama.
func (x Exchange) ollama() bool {
	named, ok := x.Wire.(interface{ Ollama() bool })
	return ok && named.Ollama()
}

// Endless is the terminal error for a builder's error. It counts as a broken
// protocol, so that it is tried again once and not for ever.
func Endless(err error) *writ.ModelError {
	return &writ.ModelError{Kind: writ.ModelProtocol, Msg: err.Error(), Err: err}
}

// outlet hands events on until the caller breaks off.
type outlet struct {
	yield func(writ.ModelEvent, error) bool
}

func (o *outlet) send(events []writ.ModelEvent) bool {
	for _, ev := range events {
		if !o.yield(ev, nil) {
			return false
		}
	}
	return true
}
