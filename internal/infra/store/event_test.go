package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/audit/chain"
)

// addEvents creates the task and appends n events one by one.
func addEvents(t *testing.T, st *Store, task string, n int) {
	t.Helper()
	addTasks(t, st, task)
	for i := range n {
		write(t, st, func(tx *Tx) error {
			return tx.AppendEvents(task, []writ.Event{{Type: writ.EventToolCalled, Agent: "coder", Time: start, Data: json.RawMessage(fmt.Sprintf(`{"i":%d}`, i))}})
		})
	}
}

func wantSeqs(t *testing.T, st *Store, task string, n int) {
	t.Helper()
	events, err := st.Events(t.Context(), task, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("%s: event %d has number %d", task, i, e.Seq)
		}
	}
	if len(events) != n {
		t.Errorf("%s has %d events, want %d", task, len(events), n)
	}
}

func TestAppendEventsNumbersAndChains(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_1", "t_2")
		exact := `{"b": 1,  "a":"<\u0000é>"}`
		first := []writ.Event{
			{Type: writ.EventTaskCreated, Time: start.Add(999 * time.Microsecond), Data: json.RawMessage(exact)},
			{Type: writ.EventError, Agent: "co\x00der", Time: start.Add(-time.Hour)}, // the clock was set back
		}
		second := []writ.Event{{Type: writ.EventTaskReport, Time: start.Add(time.Hour), Data: json.RawMessage(`[1]`)}}
		write(t, st, func(tx *Tx) error { return tx.AppendEvents("t_1", first) })
		write(t, st, func(tx *Tx) error { return tx.AppendEvents("t_1", second) })
		write(t, st, func(tx *Tx) error { return tx.AppendEvents("t_2", []writ.Event{{Type: writ.EventError, Time: start}}) })

		want := []writ.Event{
			{Seq: 1, TaskID: "t_1", Type: writ.EventTaskCreated, Time: start, Data: json.RawMessage(exact)},
			{Seq: 2, TaskID: "t_1", Type: writ.EventError, Agent: "co\uFFFDder", Time: start, Data: json.RawMessage(`{}`)},
			{Seq: 3, TaskID: "t_1", Type: writ.EventTaskReport, Time: start.Add(time.Hour), Data: json.RawMessage(`[1]`)},
		}
		if diff := cmp.Diff(want, append(first, second...)); diff != "" {
			t.Errorf("the slice was not filled in: %s", diff)
		}
		got, err := st.Events(t.Context(), "t_1", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stored: %s", diff)
		}
		middle, err := st.Events(t.Context(), "t_1", 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[1:2], middle); diff != "" {
			t.Errorf("after 1, limit 1: %s", diff)
		}
		err = st.View(t.Context(), func(v *View) error {
			rows, err := v.RowsByTask("t_1", 0, 3)
			prev := chain.Genesis
			for _, r := range rows {
				hash := chain.Hash(prev, chain.Row{Seq: r.Seq, TimeMS: r.TimeMS, TaskID: "t_1", Type: string(r.Type), Agent: r.Agent, DataSHA256: chain.Sum(r.Data)})
				if r.Prev != prev || r.Hash != hash {
					t.Errorf("row %d is not chained", r.Seq)
				}
				prev = r.Hash
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestAppendEventsRefuses(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_1")
		good := writ.Event{Type: writ.EventError, Time: start}
		for name, bad := range map[string]writ.Event{
			"a live-only type": {Type: writ.EventModelDelta},
			"no type":          {},
			"another task":     {Type: writ.EventError, TaskID: "t_2"},
			"no JSON":          {Type: writ.EventError, Data: json.RawMessage("{")},
			"no UTF-8":         {Type: writ.EventError, Data: json.RawMessage("\"\xff\"")},
			"two values":       {Type: writ.EventError, Data: json.RawMessage("{}\n{}")},
		} {
			err := st.Write(t.Context(), func(tx *Tx) error { return tx.AppendEvents("t_1", []writ.Event{good, bad}) })
			if err == nil {
				t.Errorf("%s was stored", name)
			}
		}
		wantSeqs(t, st, "t_1", 0)
	})
}

// Several processes write for the same task and for others at once.
func TestEventNumbersHaveNoHole(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		stores := []*Store{p.open(t), p.open(t)}
		addTasks(t, stores[0], "t_1", "t_2")
		const writers, batches = 3, 8
		var wg sync.WaitGroup
		for i := range writers * 2 {
			wg.Go(func() {
				for b := range batches {
					err := stores[i%2].Write(context.Background(), func(tx *Tx) error {
						for _, task := range []string{"t_1", "t_2"} {
							events := []writ.Event{{Type: writ.EventError, Time: start}, {Type: writ.EventError, Time: start}}
							if err := tx.AppendEvents(task, events); err != nil {
								return err
							}
						}
						return nil
					})
					if err != nil {
						t.Errorf("writer %d, batch %d: %v", i, b, err)
					}
				}
			})
		}
		wg.Wait()
		wantSeqs(t, stores[0], "t_1", writers*2*batches*2)
		wantSeqs(t, stores[1], "t_2", writers*2*batches*2)
	})
}

func TestEraseEventsKeepsTheRow(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_1")
		write(t, st, func(tx *Tx) error {
			return tx.AppendEvents("t_1", []writ.Event{
				{Type: writ.EventToolCalled, Time: start, Data: json.RawMessage(`{"secret":1}`)},
				{Type: writ.EventToolCalled, Time: start.Add(time.Hour), Data: json.RawMessage(`{"young":1}`)},
			})
		})
		for i, want := range []int64{1, 0} {
			write(t, st, func(tx *Tx) error {
				n, err := tx.EraseEvents("t_1", start.Add(time.Minute))
				if n != want {
					t.Errorf("time %d: %d erased, want %d", i, n, want)
				}
				return err
			})
		}
		got, err := st.Events(t.Context(), "t_1", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := []writ.Event{
			{Seq: 1, TaskID: "t_1", Type: writ.EventToolCalled, Time: start, Data: json.RawMessage(`{"erased":true}`)},
			{Seq: 2, TaskID: "t_1", Type: writ.EventToolCalled, Time: start.Add(time.Hour), Data: json.RawMessage(`{"young":1}`)},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Whatever the bytes, they are refused or come back exactly.
func FuzzEventData(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, "", `{"a":"\u0000"}`, "{\"a\":1}\r\n", "\"\xc3\x28\"", `{"seq":2}` + "\n" + `{"seq":3}`, strings.Repeat("[", 100)} {
		f.Add([]byte(seed), "coder")
	}
	st, err := Open(f.Context(), Options{Dir: f.TempDir()})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = st.Close() })
	task := newTask("t_1", "/w")
	if err := st.Write(f.Context(), func(tx *Tx) error { return tx.CreateTask(task) }); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, agent string) {
		events := []writ.Event{{Type: writ.EventError, Agent: agent, Data: data}}
		err := st.Write(t.Context(), func(tx *Tx) error { return tx.AppendEvents("t_1", events) })
		if len(data) > 0 && !json.Valid(data) {
			if err == nil {
				t.Fatalf("%q was stored", data)
			}
			return
		}
		if err != nil {
			return // JSON that is not UTF-8
		}
		got, err := st.Events(t.Context(), "t_1", events[0].Seq-1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(events, got); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkAppendEvents(b *testing.B) {
	st, err := Open(b.Context(), Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	if err := st.Write(b.Context(), func(tx *Tx) error { return tx.CreateTask(newTask("t_1", "/w")) }); err != nil {
		b.Fatal(err)
	}
	data := json.RawMessage(`{"text":"` + strings.Repeat("x", 400) + `"}`)
	for _, size := range []int{1, 20, 100} {
		b.Run(fmt.Sprintf("batch of %d", size), func(b *testing.B) {
			batch := make([]writ.Event, size)
			n := 0
			for b.Loop() {
				for i := range batch {
					batch[i] = writ.Event{Type: writ.EventToolFinished, Agent: "coder", Time: start, Data: data}
				}
				if err := st.Write(b.Context(), func(tx *Tx) error { return tx.AppendEvents("t_1", batch) }); err != nil {
					b.Fatal(err)
				}
				n += size
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
