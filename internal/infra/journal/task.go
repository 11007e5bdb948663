package journal

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// Task is the ledger of one task. It is safe for concurrent use.
type Task struct {
	j    *Journal
	id   string
	turn chan struct{} // held while a commit runs; a channel, so that waiting ends with the context

	mu     sync.Mutex // guards what is below
	events []writ.Event
	calls  []store.Call
	runs   []writ.AgentRun
}

// Emit adds an event to the buffer. Data is encoded as JSON and redacted now,
// so a later change of it does not show. A live-only type goes to the bus at
// once, with Seq 0.
func (t *Task) Emit(typ writ.EventType, agent string, data any) {
	e := writ.Event{TaskID: t.id, Type: typ, Agent: agent}
	body, err := t.encode(data)
	if err != nil {
		if !typ.Stored() {
			return // a piece of live text that cannot be shown
		}
		e.Type, body = writ.EventError, encodeFailure(typ, err)
	}
	e.Data = body
	if !typ.Stored() {
		e.Time = t.j.now().UTC()
		t.j.bus.Publish(e)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	e.Time = t.j.now().UTC()
	t.events = append(t.events, e)
}

// Record adds a call to the buffer. Its response stays exact, so that a replay
// does what the first run did; its error text is redacted.
func (t *Task) Record(c store.Call) {
	c.TaskID = t.id
	c.Error = t.redactText(c.Error)
	if c.At.IsZero() {
		c.At = t.j.now().UTC()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, c)
}

// Run adds an agent run to the buffer, its texts redacted.
func (t *Task) Run(r writ.AgentRun) {
	r.Input, r.Error = t.redactText(r.Input), t.redactText(r.Error)
	if len(r.Output) > 0 {
		out, err := t.encode(r.Output)
		if err != nil {
			// An answer that is no JSON is kept as the text that it is.
			out, err = t.encode(string(r.Output))
		}
		if err != nil {
			out = nil
		}
		r.Output = out
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs = append(t.runs, r)
}

// Commit writes the caller's changes and the buffer in one transaction: first
// the functions in their order, then the calls, the runs and the events. Then
// it publishes the events. What is put into the buffer meanwhile waits for the
// next commit. Without anything to write it does nothing.
//
// The functions may run more than once (see [store.Store.Write]) and must not
// use the ledger. If any part fails, the error is returned, nothing is
// written or published, and the buffer is kept.
func (t *Task) Commit(ctx context.Context, fns ...func(*store.Tx) error) error {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return fmt.Errorf("commit task %s: %w", t.id, context.Cause(ctx))
	}
	t.mu.Lock()
	events, calls, runs := slices.Clone(t.events), slices.Clone(t.calls), slices.Clone(t.runs)
	t.mu.Unlock()
	if len(fns)+len(events)+len(calls)+len(runs) == 0 {
		return nil
	}
	err := t.j.store.Write(ctx, func(tx *store.Tx) error {
		return t.write(tx, fns, events, calls, runs)
	})
	if err != nil {
		return fmt.Errorf("commit task %s: %w", t.id, err)
	}
	t.mu.Lock()
	t.events, t.calls, t.runs = t.events[len(events):], t.calls[len(calls):], t.runs[len(runs):]
	t.mu.Unlock()
	for _, e := range events {
		t.j.bus.Publish(e)
	}
	return nil
}

// Lookup returns the record of a key, committed or still in the buffer, or nil.
func (t *Task) Lookup(ctx context.Context, key string) (*store.Call, error) {
	if c := t.buffered(key); c != nil {
		return c, nil
	}
	return t.j.store.Call(ctx, t.id, key)
}

// write is the inside of the transaction.
func (t *Task) write(tx *store.Tx, fns []func(*store.Tx) error, events []writ.Event, calls []store.Call, runs []writ.AgentRun) error {
	for _, fn := range fns {
		if err := fn(tx); err != nil {
			return err
		}
	}
	for _, c := range calls {
		if err := tx.PutCall(c); err != nil {
			return err
		}
	}
	for _, r := range runs {
		if err := tx.PutRun(t.id, r); err != nil {
			return err
		}
	}
	return tx.AppendEvents(t.id, events)
}

func (t *Task) buffered(key string) *store.Call {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range slices.Backward(t.calls) {
		if c.Key == key {
			return &c
		}
	}
	return nil
}

func (t *Task) idle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.turn) == 0 && len(t.events)+len(t.calls)+len(t.runs) == 0
}
