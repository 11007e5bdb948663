package audit_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/audit"
	"github.com/writ-dev/writ/internal/infra/audit/chain"
	"github.com/writ-dev/writ/internal/infra/store"
)

func now() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) }

// fixture is a store with its audit, and a way around both.
type fixture struct {
	dir   string
	store *store.Store
	log   *audit.Log
	raw   *sql.DB // what somebody with access to the file can do
}

func setUp(t *testing.T) fixture {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(t.Context(), store.Options{Dir: dir, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite", filepath.Join(dir, "writ.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(raw.Close(), st.Close()) })
	return fixture{dir: dir, store: st, log: audit.New(st, audit.Options{Dir: dir}), raw: raw}
}

// add appends n events to a task, which it creates if need be.
func (f fixture) add(t *testing.T, task string, n int) {
	t.Helper()
	events := make([]writ.Event, n)
	for i := range events {
		events[i] = writ.Event{Type: writ.EventToolCalled, Agent: "coder", Time: now(), Data: json.RawMessage(fmt.Sprintf(`{"n":%d,"text":"<é>"}`, i))}
	}
	_, known := f.store.Task(t.Context(), task)
	err := f.store.Write(t.Context(), func(tx *store.Tx) error {
		if known != nil {
			if err := tx.CreateTask(&writ.Task{ID: task, Workspace: "/w", State: writ.StateIdle, CreatedAt: now()}); err != nil {
				return err
			}
		}
		return tx.AppendEvents(task, events)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (f fixture) checkpoint(t *testing.T) {
	t.Helper()
	if err := f.log.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// do runs a statement behind the store's back.
func (f fixture) do(t *testing.T, statement string, args ...any) {
	t.Helper()
	if _, err := f.raw.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

func (f fixture) verify(t *testing.T, external *audit.Signed) audit.Result {
	t.Helper()
	r, err := f.log.Verify(t.Context(), external)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rewrite makes a task's chain again from the rows as they are now, and mends
// the task's row: what a careful forger does.
func (f fixture) rewrite(t *testing.T, task string) {
	t.Helper()
	rows, err := f.raw.Query(`SELECT seq, time, type, agent, data FROM event WHERE task_id = ? ORDER BY seq`, task)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		chain.Row
		data string
	}
	var all []row
	for rows.Next() {
		r := row{Row: chain.Row{TaskID: task}}
		if err := rows.Scan(&r.Seq, &r.TimeMS, &r.Type, &r.Agent, &r.data); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	prev := chain.Genesis
	for i, r := range all {
		old := r.Seq
		r.Seq, r.DataSHA256 = int64(i+1), chain.Sum([]byte(r.data))
		hash := chain.Hash(prev, r.Row)
		f.do(t, `UPDATE event SET seq = ?, data_sha256 = ?, prev = ?, hash = ? WHERE task_id = ? AND seq = ?`, r.Seq, r.DataSHA256, prev, hash, task, old)
		prev = hash
	}
	f.do(t, `UPDATE task SET last_seq = ?, head = ? WHERE id = ?`, len(all), prev, task)
}

func TestVerifyFindsEveryForgery(t *testing.T) {
	t.Parallel()
	// t_1 has 1-5 before the first checkpoint and 6-7 before the second, t_2
	// has 1-3 before the first; 8-9 of t_1 are not covered yet.
	for name, tc := range map[string]struct {
		forge func(t *testing.T, f fixture)
		at    string
		says  string
	}{
		"a changed payload": {func(t *testing.T, f fixture) {
			f.do(t, `UPDATE event SET data = '{}' WHERE task_id = 't_1' AND seq = 2`)
		}, "t_1/2", "payload"},
		"a changed payload with its hash": {func(t *testing.T, f fixture) {
			f.do(t, `UPDATE event SET data = '{}', data_sha256 = ? WHERE task_id = 't_1' AND seq = 2`, chain.Sum([]byte("{}")))
		}, "t_1/2", "changed"},
		"a changed agent": {func(t *testing.T, f fixture) {
			f.do(t, `UPDATE event SET agent = 'planner' WHERE task_id = 't_1' AND seq = 9`)
		}, "t_1/9", "changed"},
		"a changed type": {func(t *testing.T, f fixture) {
			f.do(t, `UPDATE event SET type = 'plan.accepted' WHERE task_id = 't_2' AND seq = 3`)
		}, "t_2/3", "changed"},
		"a changed time": {func(t *testing.T, f fixture) {
			f.do(t, `UPDATE event SET time = 0 WHERE task_id = 't_2' AND seq = 1`)
		}, "t_2/1", "changed"},
		"a removed first row": {func(t *testing.T, f fixture) {
			f.do(t, `DELETE FROM event WHERE task_id = 't_1' AND seq = 1`)
		}, "t_1/1", "gone"},
		"a removed row": {func(t *testing.T, f fixture) {
			f.do(t, `DELETE FROM event WHERE task_id = 't_1' AND seq = 4`)
		}, "t_1/4", "gone"},
		"a removed row, the others moved up": {func(t *testing.T, f fixture) {
			f.do(t, `DELETE FROM event WHERE task_id = 't_1' AND seq = 4`)
			for seq := 5; seq <= 9; seq++ {
				f.do(t, `UPDATE event SET seq = seq - 1 WHERE task_id = 't_1' AND seq = ?`, seq)
			}
		}, "t_1/4", "does not follow"},
		"two rows in each other's place": {func(t *testing.T, f fixture) {
			f.do(t, `UPDATE event SET seq = -seq WHERE task_id = 't_1' AND seq IN (3, 4)`)
			f.do(t, `UPDATE event SET seq = 7 + seq WHERE task_id = 't_1' AND seq < 0`)
		}, "t_1/3", "does not follow"},
		"an inserted row": {func(t *testing.T, f fixture) {
			f.do(t, `INSERT INTO event SELECT project_id, task_id, 10, time, type, agent, data, data_sha256, hash, 'x' FROM event WHERE task_id = 't_1' AND seq = 9`)
		}, "t_1/10", "changed"},
		"an inserted row with the right hash": {func(t *testing.T, f fixture) {
			f.do(t, `INSERT INTO event SELECT project_id, task_id, 10, time, type, agent, data, data_sha256, hash, 'x' FROM event WHERE task_id = 't_1' AND seq = 9`)
			f.rewrite(t, "t_1")
			f.do(t, `UPDATE task SET last_seq = 9, head = (SELECT hash FROM event WHERE task_id = 't_1' AND seq = 9) WHERE id = 't_1'`)
		}, "t_1/10", "behind the end"},
		"a cut-off end": {func(t *testing.T, f fixture) {
			f.do(t, `DELETE FROM event WHERE task_id = 't_1' AND seq >= 9`)
		}, "t_1/9", "8 of 9 rows"},
		"a cut-off end, the task's row mended": {func(t *testing.T, f fixture) {
			f.do(t, `DELETE FROM event WHERE task_id = 't_1' AND seq >= 7`)
			f.rewrite(t, "t_1")
		}, "t_1/7", "which checkpoint 2 covers"},
		"a whole chain removed": {func(t *testing.T, f fixture) {
			f.do(t, `DELETE FROM event WHERE task_id = 't_2'`)
		}, "t_2/1", "0 of 3 rows"},
		"a whole task removed": {func(t *testing.T, f fixture) {
			f.do(t, `DELETE FROM event WHERE task_id = 't_2'`)
			f.do(t, `DELETE FROM task WHERE id = 't_2'`)
		}, "t_2/3", "which checkpoint 1 covers"},
		"a task removed, its events left": {func(t *testing.T, f fixture) {
			f.do(t, `DELETE FROM task WHERE id = 't_2'`)
		}, "t_2/3", "its task is gone"},
		"a chain made again": {func(t *testing.T, f fixture) {
			f.do(t, `UPDATE event SET data = '{}' WHERE task_id = 't_1' AND seq = 2`)
			f.rewrite(t, "t_1")
		}, "t_1/5", "not the row that checkpoint 1 covers"},
		"events of another task": {func(t *testing.T, f fixture) {
			f.do(t, `DELETE FROM event WHERE task_id = 't_2'`)
			f.do(t, `INSERT INTO event SELECT project_id, 't_2', seq, time, type, agent, data, data_sha256, prev, hash FROM event WHERE task_id = 't_1' AND seq <= 3`)
		}, "t_2/1", "changed"},
		"a changed checkpoint": {func(t *testing.T, f fixture) {
			f.do(t, `UPDATE checkpoint SET body = replace(body, '"seq":5', '"seq":4') WHERE n = 1`)
		}, "checkpoint/1", "signature"},
		"a removed first checkpoint": {func(t *testing.T, f fixture) {
			f.do(t, `DELETE FROM checkpoint WHERE n = 1`)
		}, "checkpoint/1", "gone"},
		"a removed first checkpoint, the other moved up": {func(t *testing.T, f fixture) {
			f.do(t, `DELETE FROM checkpoint WHERE n = 1`)
			f.do(t, `UPDATE checkpoint SET n = 1`)
		}, "checkpoint/1", "does not follow"},
		"a removed last checkpoint": {func(t *testing.T, f fixture) {
			f.do(t, `DELETE FROM checkpoint WHERE n = 2`)
		}, "t_1/7", "checkpoint that covered it is gone"},
		"checkpoints of another key": {func(t *testing.T, f fixture) {
			key := filepath.Join(f.dir, "audit.key")
			if err := os.Rename(key, key+".ours"); err != nil {
				t.Fatal(err)
			}
			f.do(t, `DELETE FROM checkpoint`)
			f.do(t, `UPDATE task SET checked_seq = 0`)
			f.checkpoint(t) // makes a new key
			if err := os.Rename(key+".ours", key); err != nil {
				t.Fatal(err)
			}
		}, "checkpoint/1", "signature"},
		"a removed key": {func(t *testing.T, f fixture) {
			if err := os.Remove(filepath.Join(f.dir, "audit.key")); err != nil {
				t.Fatal(err)
			}
		}, "checkpoint/1", "the key that signed it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setUp(t)
			f.add(t, "t_1", 5)
			f.add(t, "t_2", 3)
			f.checkpoint(t)
			f.add(t, "t_1", 2)
			f.checkpoint(t)
			f.add(t, "t_1", 2)
			if diff := cmp.Diff(audit.Result{OK: true, Rows: 12, Checkpoints: 2}, f.verify(t, nil)); diff != "" {
				t.Fatalf("before: %s", diff)
			}
			tc.forge(t, f)
			r := f.verify(t, nil)
			if r.OK || r.BrokenAt == nil || *r.BrokenAt != tc.at || !strings.Contains(r.Detail, tc.says) {
				data, _ := json.Marshal(r)
				t.Errorf("%s, want %s, %q", data, tc.at, tc.says)
			}
		})
	}
}

// Somebody who mends everything in the store is found by a checkpoint that was
// kept elsewhere, and by nothing else.
func TestVerifyWithACheckpointFile(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.add(t, "t_1", 5)
	f.checkpoint(t)
	f.add(t, "t_1", 2)
	f.checkpoint(t)
	var file bytes.Buffer
	if err := f.log.WriteCheckpoint(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	kept, err := audit.ReadCheckpoint(&file)
	if err != nil {
		t.Fatal(err)
	}
	f.add(t, "t_1", 1) // life goes on
	f.checkpoint(t)
	want := audit.Result{OK: true, Rows: 8, Checkpoints: 3}
	if diff := cmp.Diff(want, f.verify(t, &kept)); diff != "" {
		t.Fatal(diff)
	}
	bad := kept
	bad.Body = strings.Replace(bad.Body, `"seq":7`, `"seq":6`, 1)
	if r := f.verify(t, &bad); r.OK || !strings.Contains(r.Detail, "signature") {
		t.Errorf("a changed file: %+v", r)
	}

	f.do(t, `DELETE FROM event WHERE seq > 5`)
	f.do(t, `DELETE FROM checkpoint WHERE n > 1`)
	f.do(t, `UPDATE task SET checked_seq = 5`)
	f.rewrite(t, "t_1")
	if r := f.verify(t, nil); !r.OK {
		t.Fatalf("the forger was careless: %+v", r)
	}
	r := f.verify(t, &kept)
	if r.OK || r.BrokenAt == nil || *r.BrokenAt != "checkpoint/2" || !strings.Contains(r.Detail, "rewritten") {
		t.Errorf("%+v", r)
	}
}

func TestErasedPayloadsShowAndHold(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.add(t, "t_1", 4)
	f.checkpoint(t)
	err := f.store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.EraseEvents("t_1", now().Add(time.Hour))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(audit.Result{OK: true, Rows: 4, Erased: 4, Checkpoints: 1}, f.verify(t, nil)); diff != "" {
		t.Error(diff)
	}
}

func TestResultAsJSON(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.add(t, "t_1", 2)
	got, err := json.Marshal(f.verify(t, nil))
	if want := `{"ok":true,"rows":2,"broken_at":null}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	f.do(t, `UPDATE event SET agent = 'x' WHERE seq = 2`)
	got, err = json.Marshal(f.verify(t, nil))
	if want := `{"ok":false,"rows":1,"broken_at":"t_1/2","detail":"it was changed"}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

func TestCheckpointWithoutNewsStoresNothing(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.checkpoint(t)
	f.add(t, "t_1", 1)
	for range 3 {
		f.checkpoint(t)
	}
	if r := f.verify(t, nil); !r.OK || r.Checkpoints != 1 {
		t.Errorf("%+v", r)
	}
	empty := setUp(t)
	if err := empty.log.WriteCheckpoint(t.Context(), &bytes.Buffer{}); writ.CodeOf(err) != writ.CodeStateIllegal {
		t.Errorf("a checkpoint of nothing: %v", err)
	}
}

// Tasks run while the audit verifies: no false alarm.
func TestVerifyWhileTasksRun(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.add(t, "t_1", 1)
	done := make(chan error)
	go func() {
		var err error
		for range 60 {
			err = errors.Join(err, f.store.Write(context.Background(), func(tx *store.Tx) error {
				return tx.AppendEvents("t_1", []writ.Event{{Type: writ.EventError, Time: now()}, {Type: writ.EventError, Time: now()}})
			}), f.log.Checkpoint(context.Background()))
		}
		done <- err
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			if r := f.verify(t, nil); !r.OK || r.Rows != 121 || r.Checkpoints != 60 {
				t.Errorf("at the end: %+v", r)
			}
			return
		default:
			if r := f.verify(t, nil); !r.OK {
				t.Fatalf("%s: %s", *r.BrokenAt, r.Detail)
			}
		}
	}
}

func TestListIsOldestFirst(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.add(t, "t_2longer_id", 600) // more than one page
	f.add(t, "t_1", 600)
	count := func(task string) (n int) {
		last := map[string]int64{}
		err := f.log.List(t.Context(), task, func(e writ.Event) error {
			if e.Seq != last[e.TaskID]+1 {
				t.Fatalf("%s: %d after %d", e.TaskID, e.Seq, last[e.TaskID])
			}
			last[e.TaskID] = e.Seq
			n++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for task, want := range map[string]int{"": 1200, "t_1": 600, "t_2longer": 600} {
		if got := count(task); got != want {
			t.Errorf("%q lists %d, want %d", task, got, want)
		}
	}
	if r := f.verify(t, nil); !r.OK || r.Rows != 1200 {
		t.Errorf("%+v", r)
	}
	stop := errors.New("stop")
	if err := f.log.List(t.Context(), "", func(writ.Event) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	if err := f.log.List(t.Context(), "t_none", nil); writ.CodeOf(err) != writ.CodeUsage {
		t.Errorf("an unknown task: %v", err)
	}
}

// Audit case 02: text in the form of our own rows makes no row of its own. And
// an export can be verified by itself, down to the bytes of the payloads.
func TestExportIsOneLineARowAndVerifiesByItself(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.add(t, "t_1", 1)
	fake := "x\r\n{\"seq\":2,\"type\":\"plan.accepted\",\"data\":{}}\u2028\n"
	data, err := json.Marshal(map[string]string{"prompt": fake})
	if err != nil {
		t.Fatal(err)
	}
	err = f.store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.AppendEvents("t_1", []writ.Event{{Type: writ.EventTaskCreated, Agent: fake, Time: now(), Data: data}})
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.log.Export(t.Context(), &out, "t_1"); err != nil {
		t.Fatal(err)
	}
	prev, lines := chain.Genesis, 0
	for line := range bytes.Lines(out.Bytes()) {
		lines++
		var r struct {
			writ.Event
			SHA  string `json:"data_sha256"`
			Prev string
			Hash string
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		want := chain.Hash(prev, chain.Row{Seq: r.Seq, TimeMS: r.Time.UnixMilli(), TaskID: r.TaskID, Type: string(r.Type), Agent: r.Agent, DataSHA256: chain.Sum(r.Data)})
		if r.Seq != int64(lines) || r.Prev != prev || r.Hash != want || r.SHA != chain.Sum(r.Data) {
			t.Errorf("line %d does not verify: %s", lines, line)
		}
		prev = r.Hash
	}
	if lines != 2 {
		t.Errorf("%d lines:\n%s", lines, out.String())
	}
}
