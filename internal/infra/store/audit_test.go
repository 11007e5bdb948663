package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

// keep is a sign function that writes down what it was asked.
func keep(n int64, at time.Time, prev *Checkpoint, due []Head) (string, string, error) {
	before := "nothing"
	if prev != nil {
		before = prev.Body
	}
	body := fmt.Sprintf("%d after (%s):", n, before)
	for _, h := range due {
		body += fmt.Sprintf(" %s/%d", h.TaskID, h.Seq)
	}
	return body, "signed", nil
}

func checkpointsOf(t *testing.T, st *Store, after int64, limit int) []Checkpoint {
	t.Helper()
	var out []Checkpoint
	err := st.View(t.Context(), func(v *View) (err error) { out, err = v.Checkpoints(after, limit); return err })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCheckpointsCoverWhatGrew(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		add := func() { write(t, st, func(tx *Tx) error { return tx.AddCheckpoint(keep) }) }
		add() // nothing is there yet
		addEvents(t, st, "t_1", 2)
		addEvents(t, st, "t_2", 1)
		add()
		add() // nothing grew
		write(t, st, func(tx *Tx) error { return tx.AppendEvents("t_1", []writ.Event{{Type: writ.EventError, Time: start}}) })
		cause := errors.New("no key")
		err := st.Write(t.Context(), func(tx *Tx) error {
			return tx.AddCheckpoint(func(int64, time.Time, *Checkpoint, []Head) (string, string, error) { return "", "", cause })
		})
		if !errors.Is(err, cause) {
			t.Errorf("error %v", err)
		}
		add()
		want := []Checkpoint{
			{N: 1, At: start, Body: "1 after (nothing): t_1/2 t_2/1", Signature: "signed"},
			{N: 2, At: start, Body: "2 after (1 after (nothing): t_1/2 t_2/1): t_1/3", Signature: "signed"},
		}
		if diff := cmp.Diff(want, checkpointsOf(t, st, 0, 0)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want[1:], checkpointsOf(t, st, 1, 1)); diff != "" {
			t.Error(diff)
		}
		var heads []Head
		err = st.View(t.Context(), func(v *View) (err error) { heads, err = v.Heads(); return err })
		if err != nil {
			t.Fatal(err)
		}
		for i := range heads {
			if len(heads[i].Hash) != 64 {
				t.Errorf("hash %q", heads[i].Hash)
			}
			heads[i].Hash = ""
		}
		if diff := cmp.Diff([]Head{{TaskID: "t_1", Seq: 3, CheckedSeq: 3}, {TaskID: "t_2", Seq: 1, CheckedSeq: 1}}, heads); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCheckpointsAtOnceAreNumberedWithoutAHole(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		stores := []*Store{p.open(t), p.open(t)}
		addTasks(t, stores[0], "t_1", "t_2")
		var wg sync.WaitGroup
		for i := range 4 {
			task := []string{"t_1", "t_2"}[i/2]
			wg.Go(func() {
				for range 5 {
					err := stores[i%2].Write(context.Background(), func(tx *Tx) error {
						return tx.AppendEvents(task, []writ.Event{{Type: writ.EventError, Time: start}})
					})
					err = errors.Join(err, stores[i%2].Write(context.Background(), func(tx *Tx) error { return tx.AddCheckpoint(keep) }))
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		all := checkpointsOf(t, stores[0], 0, 0)
		for i, c := range all {
			if c.N != int64(i+1) {
				t.Errorf("checkpoint %d has number %d", i, c.N)
			}
		}
		if len(all) == 0 {
			t.Error("no checkpoint")
		}
	})
}

func TestAViewSeesOneMoment(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addEvents(t, st, "t_1", 2)
		err := st.View(t.Context(), func(v *View) error {
			for range 2 {
				rows, err := v.RowsByTask("", 0, 0)
				if err != nil {
					return err
				}
				if len(rows) != 2 {
					t.Errorf("%d rows", len(rows))
				}
				if err := st.Write(t.Context(), func(tx *Tx) error {
					return tx.AppendEvents("t_1", []writ.Event{{Type: writ.EventError, Time: start}})
				}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		wantSeqs(t, st, "t_1", 4)
	})
}

func TestRowsByTimeMergesTheTasks(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_1", "t_2")
		for i, task := range []string{"t_2", "t_1", "t_2", "t_1"} {
			write(t, st, func(tx *Tx) error {
				at := start.Add(time.Duration(i/3) * time.Second) // the first three at the same time
				return tx.AppendEvents(task, []writ.Event{{Type: writ.EventError, Time: at}})
			})
		}
		var got []string
		var last AuditRow
		for {
			var rows []AuditRow
			err := st.View(t.Context(), func(v *View) (err error) { rows, err = v.RowsByTime(last, 2); return err })
			if err != nil {
				t.Fatal(err)
			}
			if len(rows) == 0 {
				break
			}
			for _, r := range rows {
				got = append(got, fmt.Sprintf("%s/%d", r.TaskID, r.Seq))
			}
			last = rows[len(rows)-1]
		}
		if diff := cmp.Diff([]string{"t_1/1", "t_2/1", "t_2/2", "t_1/2"}, got); diff != "" {
			t.Error(diff)
		}
	})
}
