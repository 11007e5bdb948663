package journal

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/eventbus"
)

// followPage is how many stored events are read at once.
const followPage = 500

// Follow tells the events of a task from the one after the given number on, as
// they are committed, each once, in order and without a hole: the stored ones
// first, then what the bus brings. Live-only events of this process come in
// between, as they are published, and get lost first when the reader is slow.
//
// Events that another process writes come within [Options].Poll. The sequence
// ends when the loop does, or with an error: that of the context or of the
// store.
func (j *Journal) Follow(ctx context.Context, taskID string, after int64) iter.Seq2[writ.Event, error] {
	return func(yield func(writ.Event, error) bool) {
		sub := j.bus.Subscribe(eventbus.Options{TaskID: taskID})
		defer sub.Close()
		tick := time.NewTicker(j.poll)
		defer tick.Stop()
		f := &follower{j: j, id: taskID, last: after, yield: yield}
		for f.catchUp(ctx) {
			if !f.live(ctx, sub, tick.C) {
				return
			}
		}
	}
}

// follower remembers where a reader is.
type follower struct {
	j     *Journal
	id    string
	last  int64
	yield func(writ.Event, error) bool
}

// catchUp yields what is stored beyond the last number; false ends it all.
func (f *follower) catchUp(ctx context.Context) bool {
	for {
		events, err := f.j.store.Events(ctx, f.id, f.last, followPage)
		if err != nil {
			f.yield(writ.Event{}, fmt.Errorf("follow task %s: %w", f.id, err))
			return false
		}
		for _, e := range events {
			f.last = e.Seq
			if !f.yield(e, nil) {
				return false
			}
		}
		if len(events) < followPage {
			return true
		}
	}
}

// live yields what the bus brings until the store must be read again: true, or
// until the end: false.
func (f *follower) live(ctx context.Context, sub *eventbus.Subscription, tick <-chan time.Time) bool {
	for {
		select {
		case <-ctx.Done():
			f.yield(writ.Event{}, fmt.Errorf("follow task %s: %w", f.id, context.Cause(ctx)))
			return false
		case <-tick:
			return true
		case <-sub.Lag():
			sub.Lagged()
			return true
		case e := <-sub.Events():
			switch {
			case e.Seq == 0: // live only
			case e.Seq <= f.last:
				continue // read from the store already
			case e.Seq > f.last+1:
				return true // another process wrote in between
			default:
				f.last = e.Seq
			}
			if !f.yield(e, nil) {
				return false
			}
		}
	}
}
