package eventbus

import (
	"slices"
	"sync"

	"github.com/writ-dev/writ"
)

// DefaultBuffer is the length of a subscription's queue where Options leave it
// open: a second of the busiest task.
const DefaultBuffer = 256

// Options say what a subscription wants.
type Options struct {
	// TaskID narrows it to one task; empty is all of them.
	TaskID string
	// Buffer is the length of the queue; 0 or less is DefaultBuffer.
	Buffer int
}

// Bus hands events from publishers to subscriptions. It is safe for concurrent
// use and needs no closing.
type Bus struct {
	mu   sync.RWMutex
	subs []*Subscription // replaced, never changed in place
}

// New makes a bus without subscriptions.
func New() *Bus { return new(Bus) }

// Publish puts an event into the queue of every subscription that asked for
// its task. It never blocks. Subscribers share the event's Data and must not
// change it.
func (b *Bus) Publish(e writ.Event) {
	b.mu.RLock()
	subs := b.subs
	b.mu.RUnlock()
	for _, s := range subs {
		s.offer(e)
	}
}

// Subscribe starts a subscription, which lasts until it is closed.
func (b *Bus) Subscribe(o Options) *Subscription {
	if o.Buffer <= 0 {
		o.Buffer = DefaultBuffer
	}
	s := &Subscription{
		bus:    b,
		taskID: o.TaskID,
		events: make(chan writ.Event, o.Buffer),
		lag:    make(chan struct{}, 1),
		lost:   map[string]int64{},
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs = append(slices.Clone(b.subs), s)
	return s
}

// remove takes a subscription off the list.
func (b *Bus) remove(s *Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs = slices.DeleteFunc(slices.Clone(b.subs), func(x *Subscription) bool { return x == s })
}
