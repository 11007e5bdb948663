package eventbus

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func event(task string, seq int64) writ.Event {
	return writ.Event{TaskID: task, Seq: seq, Type: writ.EventToolCalled}
}

func live(task, agent string) writ.Event {
	return writ.Event{TaskID: task, Type: writ.EventModelDelta, Agent: agent}
}

// queued drains what is in the queue now, as "task/seq" or the agent of a
// live-only event.
func queued(s *Subscription) []string {
	var out []string
	for {
		select {
		case e, ok := <-s.Events():
			if !ok {
				return append(out, "closed")
			}
			if e.Seq == 0 {
				out = append(out, e.Agent)
				continue
			}
			out = append(out, fmt.Sprintf("%s/%d", e.TaskID, e.Seq))
		default:
			return out
		}
	}
}

func TestSubscribersGetWhatTheyAskedFor(t *testing.T) {
	t.Parallel()
	bus := New()
	bus.Publish(event("a", 1)) // before anybody listened
	all, one := bus.Subscribe(Options{}), bus.Subscribe(Options{TaskID: "a"})
	for _, e := range []writ.Event{event("a", 2), event("b", 1), live("a", "delta"), event("a", 3)} {
		bus.Publish(e)
	}
	if diff := cmp.Diff([]string{"a/2", "b/1", "delta", "a/3"}, queued(all)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a/2", "delta", "a/3"}, queued(one)); diff != "" {
		t.Error(diff)
	}
}

func TestASlowSubscriberIsToldWhatItLost(t *testing.T) {
	t.Parallel()
	bus := New()
	sub := bus.Subscribe(Options{Buffer: 2})
	bus.Publish(event("a", 1))
	bus.Publish(event("b", 1))
	bus.Publish(live("c", "lost without notice"))
	if got := sub.Lagged(); got != nil {
		t.Errorf("lagged %v before anything with a number was lost", got)
	}
	bus.Publish(event("b", 2))
	bus.Publish(event("a", 2))
	bus.Publish(event("a", 3))
	if diff := cmp.Diff([]string{"a/1", "b/1"}, queued(sub)); diff != "" {
		t.Error(diff)
	}
	bus.Publish(event("a", 4)) // there is room, but 2 and 3 are missing
	bus.Publish(event("c", 1))
	bus.Publish(live("a", "delta"))
	if diff := cmp.Diff([]string{"c/1", "delta"}, queued(sub)); diff != "" {
		t.Error(diff)
	}
	select {
	case <-sub.Lag():
	default:
		t.Error("nobody said that something was lost")
	}
	if diff := cmp.Diff([]Lag{{"a", 2}, {"b", 2}}, sub.Lagged()); diff != "" {
		t.Error(diff)
	}
	bus.Publish(event("a", 5))
	if diff := cmp.Diff([]string{"a/5"}, queued(sub)); diff != "" {
		t.Error(diff)
	}
	select {
	case <-sub.Lag():
		t.Error("told twice")
	default:
	}
	if got := sub.Lagged(); got != nil {
		t.Errorf("lagged %v", got)
	}
}

func TestAStuckSubscriberHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bus := New()
		stuck := bus.Subscribe(Options{Buffer: 1})
		reader := bus.Subscribe(Options{Buffer: 8})
		const events = 5000
		var got []int64
		var wg sync.WaitGroup
		wg.Go(func() {
			for e := range reader.Events() {
				got = append(got, e.Seq)
			}
		})
		published := make(chan struct{})
		wg.Go(func() {
			defer close(published)
			for i := range events {
				bus.Publish(event("a", int64(i+1)))
				if i%4 == 0 {
					synctest.Wait() // lets the reader keep up; the stuck one never reads
				}
			}
		})
		<-published
		synctest.Wait()
		reader.Close()
		wg.Wait()
		if len(got) != events {
			t.Errorf("the reader got %d of %d events, lost %v", len(got), events, reader.Lagged())
		}
		if diff := cmp.Diff([]Lag{{"a", 2}}, stuck.Lagged()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestClose(t *testing.T) {
	t.Parallel()
	bus := New()
	sub, other := bus.Subscribe(Options{}), bus.Subscribe(Options{})
	bus.Publish(event("a", 1))
	sub.Close()
	sub.Close()
	bus.Publish(event("a", 2))
	if diff := cmp.Diff([]string{"a/1", "closed"}, queued(sub)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a/1", "a/2"}, queued(other)); diff != "" {
		t.Error(diff)
	}
	if len(bus.subs) != 1 {
		t.Errorf("the bus still knows %d subscriptions", len(bus.subs))
	}
}

// Publishers, subscribers that come and go, and readers at the same time.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	bus := New()
	var wg sync.WaitGroup
	for p := range 4 {
		wg.Go(func() {
			for i := range 500 {
				bus.Publish(event(fmt.Sprint(p), int64(i+1)))
			}
		})
	}
	for range 4 {
		wg.Go(func() {
			for range 50 {
				sub := bus.Subscribe(Options{Buffer: 4})
				for range 4 {
					select {
					case <-sub.Events():
					case <-sub.Lag():
						sub.Lagged()
					default:
					}
				}
				sub.Close()
			}
		})
	}
	wg.Wait()
	if len(bus.subs) != 0 {
		t.Errorf("%d subscriptions are left", len(bus.subs))
	}
}

// Whatever order publishing and reading come in, the numbers of a task have no
// hole that Lagged did not name.
func FuzzNoHoleIsHidden(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 2, 0, 2, 2, 3, 0, 2}, uint8(2))
	f.Add([]byte{0, 1, 0, 1, 0, 1, 3, 2, 2, 2, 0, 1, 2, 2}, uint8(1))
	f.Add([]byte{0, 0, 0, 2, 0, 3, 0, 2, 2, 2, 2}, uint8(2))
	f.Fuzz(func(t *testing.T, ops []byte, buffer uint8) {
		bus := New()
		sub := bus.Subscribe(Options{Buffer: int(buffer%8) + 1})
		published, seen := map[string]int64{}, map[string]int64{}
		lost := map[string][]int64{} // where a hole may begin, in order
		read := func() {
			select {
			case e := <-sub.Events():
				holes, last := lost[e.TaskID], seen[e.TaskID]
				if e.Seq != last+1 && (e.Seq <= last || len(holes) == 0 || holes[0] != last+1) {
					t.Fatalf("got %s/%d after %d, holes %v", e.TaskID, e.Seq, last, holes)
				}
				// What was named later may lie in the same hole.
				lost[e.TaskID] = slices.DeleteFunc(holes, func(seq int64) bool { return seq < e.Seq })
				seen[e.TaskID] = e.Seq
			default:
			}
		}
		for _, op := range ops {
			switch op % 4 {
			case 0, 1:
				task := string(rune('a' + op%4))
				published[task]++
				bus.Publish(event(task, published[task]))
			case 2:
				read()
			case 3:
				for _, l := range sub.Lagged() {
					lost[l.TaskID] = append(lost[l.TaskID], l.Seq)
				}
			}
		}
		for range 16 {
			read()
		}
	})
}

func BenchmarkPublish(b *testing.B) {
	bus := New()
	bus.Subscribe(Options{Buffer: 1}) // stuck
	var wg sync.WaitGroup
	var subs []*Subscription
	for range 8 {
		sub := bus.Subscribe(Options{Buffer: 1024})
		subs = append(subs, sub)
		wg.Go(func() {
			for range sub.Events() { // counts for nothing but its own time
				sub.Lagged()
			}
		})
	}
	n := int64(0)
	for b.Loop() {
		n++
		bus.Publish(event("a", n))
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
	for _, s := range subs {
		s.Close()
	}
	wg.Wait()
}
