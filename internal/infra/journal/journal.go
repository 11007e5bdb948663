package journal

import (
	"sync"
	"time"

	"github.com/writ-dev/writ/internal/infra/eventbus"
	"github.com/writ-dev/writ/internal/infra/store"
)

// Options are what a journal needs besides store and bus; the zero value works.
type Options struct {
	// Redact removes secrets from JSON and leaves it JSON. It must be safe for
	// concurrent use; nil leaves everything as it is.
	Redact func([]byte) []byte
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Poll is how often Follow looks for events of other processes; 0 is a
	// quarter of a second.
	Poll time.Duration
}

// defaultPoll is the Poll of the zero Options.
const defaultPoll = 250 * time.Millisecond

// Journal hands out the ledgers of tasks. It is safe for concurrent use.
type Journal struct {
	store  *store.Store
	bus    *eventbus.Bus
	redact func([]byte) []byte
	now    func() time.Time
	poll   time.Duration

	mu    sync.Mutex
	tasks map[string]*Task
}

// New makes a journal over an open store and a bus; it closes neither.
func New(st *store.Store, bus *eventbus.Bus, o Options) *Journal {
	if o.Redact == nil {
		o.Redact = func(b []byte) []byte { return b }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Poll <= 0 {
		o.Poll = defaultPoll
	}
	return &Journal{store: st, bus: bus, redact: o.Redact, now: o.Now, poll: o.Poll, tasks: map[string]*Task{}}
}

// Task returns the ledger of a task: the same one for the same id, so that all
// who write about a task share its order. The task itself may be created by
// the ledger's first commit.
func (j *Journal) Task(taskID string) *Task {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := j.tasks[taskID]
	if t == nil {
		t = &Task{j: j, id: taskID, turn: make(chan struct{}, 1)}
		j.tasks[taskID] = t
	}
	return t
}

// Forget drops a task's ledger once the task has ended, so that a process
// which runs for months does not collect them. A ledger that still holds
// something uncommitted stays.
func (j *Journal) Forget(taskID string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if t := j.tasks[taskID]; t != nil && t.idle() {
		delete(j.tasks, taskID)
	}
}
