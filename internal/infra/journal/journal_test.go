package journal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/eventbus"
	"github.com/writ-dev/writ/internal/infra/journal"
	"github.com/writ-dev/writ/internal/infra/store"
)

var errNo = errors.New("no")

// fixture is a store with one task, a bus, and a journal over them.
type fixture struct {
	dir     string
	store   *store.Store
	bus     *eventbus.Bus
	journal *journal.Journal
}

func now() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) }

func openStore(t *testing.T, dir string) *store.Store {
	t.Helper()
	st, err := store.Open(context.Background(), store.Options{Dir: dir, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

func setUp(t *testing.T, redact func([]byte) []byte) fixture {
	t.Helper()
	dir := t.TempDir()
	st, bus := openStore(t, dir), eventbus.New()
	if err := st.Write(t.Context(), create("t_1")); err != nil {
		t.Fatal(err)
	}
	return fixture{dir: dir, store: st, bus: bus, journal: journal.New(st, bus, journal.Options{Redact: redact, Now: now})}
}

func create(id string) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		return tx.CreateTask(&writ.Task{ID: id, Workspace: "/w", State: writ.StateIdle, CreatedAt: now()})
	}
}

func (f fixture) stored(t *testing.T) []writ.Event {
	t.Helper()
	events, err := f.store.Events(t.Context(), "t_1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func drain(sub *eventbus.Subscription) []writ.Event {
	out := []writ.Event{}
	for {
		select {
		case e := <-sub.Events():
			out = append(out, e)
		default:
			return out
		}
	}
}

func commit(t *testing.T, task *journal.Task, fns ...func(*store.Tx) error) {
	t.Helper()
	if err := task.Commit(t.Context(), fns...); err != nil {
		t.Fatal(err)
	}
}

func TestCommitWritesThenPublishes(t *testing.T) {
	t.Parallel()
	f := setUp(t, nil)
	sub := f.bus.Subscribe(eventbus.Options{})
	task := f.journal.Task("t_2") // created by its own first commit
	data := map[string]any{"prompt": "x"}
	task.Emit(writ.EventTaskCreated, "", data)
	data["prompt"] = "changed later"
	task.Emit(writ.EventTaskStarted, "coder", nil)
	if got := drain(sub); len(got) != 0 {
		t.Errorf("published before the commit: %v", got)
	}
	commit(t, task, create("t_2"))
	want := []writ.Event{
		{Seq: 1, Time: now(), TaskID: "t_2", Type: writ.EventTaskCreated, Data: json.RawMessage(`{"prompt":"x"}`)},
		{Seq: 2, Time: now(), TaskID: "t_2", Type: writ.EventTaskStarted, Agent: "coder", Data: json.RawMessage(`{}`)},
	}
	if diff := cmp.Diff(want, drain(sub)); diff != "" {
		t.Errorf("published: %s", diff)
	}
	got, err := f.store.Events(t.Context(), "t_2", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored: %s", diff)
	}
	commit(t, task) // nothing to do
	if got := drain(sub); len(got) != 0 {
		t.Errorf("published twice: %v", got)
	}
}

func TestAFailedCommitPublishesNothingAndKeepsAll(t *testing.T) {
	t.Parallel()
	f := setUp(t, nil)
	sub := f.bus.Subscribe(eventbus.Options{})
	task := f.journal.Task("t_1")
	task.Emit(writ.EventError, "", 1)
	task.Record(store.Call{Key: "k", Kind: store.CallTool})
	task.Run(writ.AgentRun{ID: "r"})
	err := task.Commit(t.Context(), func(*store.Tx) error { return nil }, func(*store.Tx) error { return errNo })
	if !errors.Is(err, errNo) {
		t.Fatalf("error %v", err)
	}
	task.Emit(writ.EventError, "", 2)
	f.journal.Forget("t_1") // must not forget what is not committed
	if got := drain(sub); len(got)+len(f.stored(t)) != 0 {
		t.Errorf("published %v", got)
	}
	commit(t, f.journal.Task("t_1"))
	var data []string
	for _, e := range drain(sub) {
		data = append(data, fmt.Sprintf("%d:%s", e.Seq, e.Data))
	}
	if diff := cmp.Diff([]string{"1:1", "2:2"}, data); diff != "" {
		t.Error(diff)
	}
	call, err := f.store.Call(t.Context(), "t_1", "k")
	runs, err2 := f.store.Runs(t.Context(), "t_1")
	if err := errors.Join(err, err2); err != nil || call == nil || len(runs) != 1 {
		t.Errorf("call %v, runs %v, %v", call, runs, err)
	}
}

// Audit case 04: where nothing can be recorded, nothing is told either.
func TestAStoreThatFailsStopsTheTask(t *testing.T) {
	t.Parallel()
	f := setUp(t, nil)
	sub := f.bus.Subscribe(eventbus.Options{})
	if err := f.store.Close(); err != nil {
		t.Fatal(err)
	}
	task := f.journal.Task("t_1")
	task.Emit(writ.EventChangeApplied, "", nil)
	for range 2 {
		if err := task.Commit(t.Context()); err == nil {
			t.Error("a closed store took events")
		}
	}
	if got := drain(sub); len(got) != 0 {
		t.Errorf("published %v", got)
	}
}

func TestLiveEventsAreToldAtOnce(t *testing.T) {
	t.Parallel()
	f := setUp(t, upper)
	sub := f.bus.Subscribe(eventbus.Options{})
	task := f.journal.Task("t_1")
	task.Emit(writ.EventModelDelta, "coder", "key sk-1")
	task.Emit(writ.EventModelDelta, "coder", make(chan int)) // cannot be shown
	want := []writ.Event{{Time: now(), TaskID: "t_1", Type: writ.EventModelDelta, Agent: "coder", Data: json.RawMessage(`"key [redacted]"`)}}
	if diff := cmp.Diff(want, drain(sub)); diff != "" {
		t.Error(diff)
	}
	commit(t, task)
	if got := f.stored(t); len(got) != 0 {
		t.Errorf("stored %v", got)
	}
}

// upper is a redaction that knows one secret.
func upper(b []byte) []byte { return bytes.ReplaceAll(b, []byte("sk-1"), []byte("[redacted]")) }

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("sk-1") }

func TestWhatCannotBeEncodedBecomesAnError(t *testing.T) {
	t.Parallel()
	breaks := func(b []byte) []byte {
		if bytes.Contains(b, []byte("break")) {
			return []byte("{")
		}
		return b
	}
	for name, data := range map[string]any{
		"a channel":              make(chan int),
		"a value that panics":    panics{},
		"an infinite number":     map[string]any{"a": []float64{1, infinity()}},
		"a broken raw message":   json.RawMessage(`{"a":`),
		"what redaction breaks":  "break",
		"a cycle":                cycle(),
		"a failing text method":  failingText{},
		"a failing map key":      map[failingText]int{{}: 1},
		"a raw message of panic": struct{ A any }{panics{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setUp(t, breaks)
			task := f.journal.Task("t_1")
			task.Emit(writ.EventToolCalled, "coder", data)
			task.Emit(writ.EventToolFinished, "coder", map[string]int{"n": 1})
			commit(t, task)
			got := f.stored(t)
			if len(got) != 2 || got[0].Type != writ.EventError || got[1].Type != writ.EventToolFinished {
				t.Fatalf("%v", got)
			}
			var told struct{ Code, Phase, Message string }
			if err := json.Unmarshal(got[0].Data, &told); err != nil || told.Code != "INTERNAL" || !strings.Contains(told.Message, "tool.called") {
				t.Errorf("%s, %v", got[0].Data, err)
			}
			if strings.Contains(string(got[0].Data), "sk-1") {
				t.Errorf("a secret stands in %s", got[0].Data)
			}
		})
	}
}

func infinity() float64 { zero := 0.0; return 1 / zero }

func cycle() any {
	m := map[string]any{}
	m["self"] = m
	return m
}

type failingText struct{}

func (failingText) MarshalText() ([]byte, error) { return nil, errNo }

func TestEverythingIsRedacted(t *testing.T) {
	t.Parallel()
	f := setUp(t, upper)
	sub := f.bus.Subscribe(eventbus.Options{})
	task := f.journal.Task("t_1")
	task.Emit(writ.EventError, "", map[string]string{"message": "with sk-1"})
	task.Run(writ.AgentRun{ID: "r", Input: "in\nsk-1", Output: json.RawMessage(`{"a": "sk-1"}`), Error: "sk-1"})
	task.Run(writ.AgentRun{ID: "s", Output: json.RawMessage("plain sk-1")})
	task.Record(store.Call{Key: "k", Error: "sk-1", Response: json.RawMessage(`{"text":"sk-1"}`)})
	commit(t, task)
	published := drain(sub)
	if got := string(published[0].Data); got != `{"message":"with [redacted]"}` {
		t.Errorf("event %s", got)
	}
	runs, err := f.store.Runs(t.Context(), "t_1")
	if err != nil {
		t.Fatal(err)
	}
	want := []writ.AgentRun{
		{ID: "r", Input: "in\n[redacted]", Output: json.RawMessage(`{"a":"[redacted]"}`), Error: "[redacted]"},
		{ID: "s", Output: json.RawMessage(`"plain [redacted]"`)},
	}
	if diff := cmp.Diff(want, runs); diff != "" {
		t.Error(diff)
	}
	call, err := f.store.Call(t.Context(), "t_1", "k")
	if err != nil {
		t.Fatal(err)
	}
	// A replay must do what the first run did.
	wantCall := &store.Call{TaskID: "t_1", Key: "k", Error: "[redacted]", Response: json.RawMessage(`{"text":"sk-1"}`), At: now()}
	if diff := cmp.Diff(wantCall, call); diff != "" {
		t.Error(diff)
	}
}

func TestLookupFindsWhatIsNotCommittedYet(t *testing.T) {
	t.Parallel()
	f := setUp(t, nil)
	task := f.journal.Task("t_1")
	look := func() string {
		c, err := task.Lookup(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		if c == nil {
			return "nothing"
		}
		return string(c.Response)
	}
	if got := look(); got != "nothing" {
		t.Errorf("at first %s", got)
	}
	task.Record(store.Call{Key: "k", Response: json.RawMessage(`1`)})
	if got := look(); got != "1" {
		t.Errorf("in the buffer %s", got)
	}
	commit(t, task)
	if got := look(); got != "1" {
		t.Errorf("committed %s", got)
	}
}

// Many goroutines write about one task: the numbers come out in order, each
// event once, and each goroutine's own events in its order.
func TestConcurrentCommitsNeitherOverlapNorOvertake(t *testing.T) {
	t.Parallel()
	f := setUp(t, nil)
	const writers, each = 6, 20
	sub := f.bus.Subscribe(eventbus.Options{Buffer: writers * each})
	inside := make(chan struct{}, 1)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			task := f.journal.Task("t_1")
			for i := range each {
				task.Emit(writ.EventError, fmt.Sprint(w), i)
				err := task.Commit(context.Background(), func(*store.Tx) error {
					select {
					case inside <- struct{}{}:
						<-inside
					default:
						t.Error("two commits at once")
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	published := drain(sub)
	if diff := cmp.Diff(f.stored(t), published); diff != "" {
		t.Errorf("published is not what is stored: %s", diff)
	}
	next := map[string]int{}
	for i, e := range published {
		if e.Seq != int64(i+1) || string(e.Data) != fmt.Sprint(next[e.Agent]) {
			t.Fatalf("event %d is %v", i, e)
		}
		next[e.Agent]++
	}
	if len(published) != writers*each {
		t.Errorf("%d events", len(published))
	}
}

func TestACommitThatWaitsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	f := setUp(t, nil)
	task := f.journal.Task("t_1")
	commit(t, task, func(*store.Tx) error {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errNo)
		if err := task.Commit(ctx, create("t_9")); !errors.Is(err, errNo) {
			t.Errorf("error %v", err)
		}
		task.Emit(writ.EventError, "", "for the next commit")
		return nil
	})
	if got := f.stored(t); len(got) != 0 {
		t.Errorf("an event emitted during the commit was committed by it: %v", got)
	}
	commit(t, task)
	if got := f.stored(t); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestForgetDropsAnIdleLedger(t *testing.T) {
	t.Parallel()
	f := setUp(t, nil)
	task := f.journal.Task("t_1")
	if f.journal.Task("t_1") != task {
		t.Error("two ledgers of one task")
	}
	f.journal.Forget("t_1")
	if f.journal.Task("t_1") == task {
		t.Error("it was kept")
	}
}

func BenchmarkCommit(b *testing.B) {
	st, err := store.Open(b.Context(), store.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	task := journal.New(st, eventbus.New(), journal.Options{}).Task("t_1")
	if err := task.Commit(b.Context(), create("t_1")); err != nil {
		b.Fatal(err)
	}
	const batch = 50
	n := 0
	for b.Loop() {
		for range batch {
			task.Emit(writ.EventToolFinished, "coder", map[string]any{"tool": "read_file", "text": strings.Repeat("x", 300)})
		}
		if err := task.Commit(b.Context()); err != nil {
			b.Fatal(err)
		}
		n += batch
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
