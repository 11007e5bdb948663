package cli

import (
	"context"
	"sync"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/access/wire"
	"github.com/writ-dev/writ/internal/infra/eventbus"
)

// feed carries a task's events to a renderer, each stored one once and in
// order. The bus wakes it; where the bus lost something the store fills in.
type feed struct {
	app    *wire.App
	task   string
	out    renderer
	sub    *eventbus.Subscription
	wg     sync.WaitGroup
	mu     sync.Mutex // guards last and the renderer
	last   int64
	closed bool
}

func newFeed(app *wire.App, task string, out renderer) *feed {
	f := &feed{app: app, task: task, out: out, sub: app.Bus.Subscribe(eventbus.Options{TaskID: task})}
	f.catchUp()
	f.wg.Add(1)
	go func() {
		defer f.wg.Done()
		f.listen()
	}()
	return f
}

// listen shows what the bus delivers until the subscription is closed.
func (f *feed) listen() {
	for {
		select {
		case e, ok := <-f.sub.Events():
			if !ok {
				return
			}
			f.take(e)
		case <-f.sub.Lag():
			f.sub.Lagged()
			f.catchUp()
		}
	}
}

// take shows one event, after any that are missing before it.
func (f *feed) take(e writ.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case e.Seq == 0:
		f.out.event(e)
	case e.Seq == f.last+1:
		f.show(e)
	case e.Seq > f.last:
		f.catchUpLocked()
	}
}

func (f *feed) show(e writ.Event) {
	f.last = e.Seq
	if e.Type != writ.EventTaskReport {
		f.out.event(e)
	}
}

func (f *feed) catchUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.catchUpLocked()
}

// catchUpLocked shows what the store has beyond the last event shown. A store
// that cannot be read loses only what is shown, never what is recorded.
func (f *feed) catchUpLocked() {
	for {
		events, err := f.app.Store.Events(context.Background(), f.task, f.last, 500)
		if err != nil || len(events) == 0 {
			return
		}
		for _, e := range events {
			f.show(e)
		}
	}
}

// finish shows what is left, then the report as the last line.
func (f *feed) finish(r *writ.Report) {
	f.stop()
	f.catchUp()
	f.out.report(r)
}

// stop ends the subscription; it may be called twice.
func (f *feed) stop() {
	f.mu.Lock()
	closed := f.closed
	f.closed = true
	f.mu.Unlock()
	if closed {
		return
	}
	f.sub.Close()
	f.wg.Wait()
}
