package eventbus

import (
	"cmp"
	"slices"
	"sync"

	"github.com/writ-dev/writ"
)

// Lag names the first event of a task that a subscription lost. Everything
// from it on stands in the store.
type Lag struct {
	TaskID string
	Seq    int64
}

// Subscription is one subscriber's queue. It is safe for concurrent use, but
// the order of events is of use to one reader only.
type Subscription struct {
	bus    *Bus
	taskID string
	events chan writ.Event
	lag    chan struct{} // holds one token while lost is not empty

	mu     sync.Mutex
	lost   map[string]int64 // task to its first lost event
	closed bool
}

// Events delivers what was queued, in order per task. It is closed by Close,
// after what was queued before.
func (s *Subscription) Events() <-chan writ.Event { return s.events }

// Lag delivers a token when something was lost that Lagged has not told yet.
func (s *Subscription) Lag() <-chan struct{} { return s.lag }

// Lagged returns the first lost event of each task that lost one since the
// last call, sorted by task, and nil when nothing was lost. From now on events
// of those tasks are queued again, so ask first and read the store then: what
// is published in between comes twice rather than never.
func (s *Subscription) Lagged() []Lag {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.lag:
	default:
	}
	if len(s.lost) == 0 {
		return nil
	}
	out := make([]Lag, 0, len(s.lost))
	for task, seq := range s.lost {
		out = append(out, Lag{TaskID: task, Seq: seq})
	}
	clear(s.lost)
	slices.SortFunc(out, func(a, b Lag) int { return cmp.Compare(a.TaskID, b.TaskID) })
	return out
}

// Close ends the subscription. A second call does nothing.
func (s *Subscription) Close() {
	s.bus.remove(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.events)
	}
}

// offer queues an event or notes that it was lost.
func (s *Subscription) offer(e writ.Event) {
	if s.taskID != "" && s.taskID != e.TaskID {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if _, lagging := s.lost[e.TaskID]; lagging && e.Seq > 0 {
		return
	}
	select {
	case s.events <- e:
		return
	default:
	}
	if e.Seq == 0 {
		return // live only: nothing to read again
	}
	s.lost[e.TaskID] = e.Seq
	select {
	case s.lag <- struct{}{}:
	default:
	}
}
