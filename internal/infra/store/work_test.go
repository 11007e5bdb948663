package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestBlobsAreFoundByTheirHash(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		for name, content := range map[string][]byte{"bytes": {0, 255, '\r', '\n'}, "nothing": {}, "nil": nil} {
			var sha string
			for range 2 { // the same bytes again are no error
				write(t, st, func(tx *Tx) (err error) { sha, err = tx.PutBlob(content); return err })
			}
			got, err := st.Blob(t.Context(), sha)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(content) {
				t.Errorf("%s: %q", name, got)
			}
		}
		if _, err := st.Blob(t.Context(), "0\x00"); err == nil {
			t.Error("an unknown hash has content")
		}
	})
}

func TestBlobRefusesDamagedContent(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		var sha string
		write(t, st, func(tx *Tx) (err error) { sha, err = tx.PutBlob([]byte("good")); return err })
		if _, err := st.db.Exec(`UPDATE blob SET content = $1`, []byte("evil")); err != nil {
			t.Fatal(err)
		}
		_, err := st.Blob(t.Context(), sha)
		wantCode(t, err, writ.CodeInternal, "damaged")
	})
}

func TestChangesAreOneToAPath(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_1", "t_2")
		a := writ.Change{Path: "a b/ä.go", Op: writ.OpModify, Status: writ.ChangeStaged, BeforeSHA256: "1", AfterSHA256: "2", Mode: 0o755}
		b := writ.Change{Path: "B.go", Op: writ.OpCreate, Status: writ.ChangeStaged, AfterSHA256: "3", Additions: 4}
		write(t, st, func(tx *Tx) error {
			return errors.Join(tx.PutChange("t_1", a), tx.PutChange("t_1", b), tx.PutChange("t_2", b), tx.DropChange("t_1", "none"))
		})
		a.Status, a.AfterSHA256 = writ.ChangeApplied, "9"
		write(t, st, func(tx *Tx) error { return errors.Join(tx.PutChange("t_1", a), tx.DropChange("t_2", "B.go")) })
		for task, want := range map[string][]writ.Change{"t_1": {b, a}, "t_2": {}, "t_3": {}} {
			got, err := st.Changes(t.Context(), task)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", task, diff)
			}
		}
	})
}

func TestACallThatWasPaidForIsKept(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_1")
		cost := 0.125
		failed := Call{TaskID: "t_1", Key: "k", Kind: CallModel, Agent: "coder", Error: "503\x00\xff", At: start}
		good := Call{TaskID: "t_1", Key: "k", Kind: CallModel, Agent: "coder", Step: "s1", Attempt: 2, Round: 3, RequestSHA: "abc",
			Response: json.RawMessage(`{"text": "<ok>"}`), Usage: writ.ModelUsage{Input: 10, Output: 5, Source: writ.UsageReported},
			CostUSD: &cost, DurationMS: 7, At: start.Add(time.Second)}
		other := good
		other.Response = json.RawMessage(`{"text":"another"}`)
		for i, c := range []Call{failed, good, other, failed} {
			write(t, st, func(tx *Tx) error { return tx.PutCall(c) })
			want := good
			if i == 0 {
				want = failed
				want.Error = "503\uFFFD\uFFFD"
			}
			got, err := st.Call(t.Context(), "t_1", "k")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Errorf("after %d: %s", i, diff)
			}
		}
		if c, err := st.Call(t.Context(), "t_1", "none"); c != nil || err != nil {
			t.Errorf("%v, %v", c, err)
		}
	})
}

func TestRunsAreListedOldestFirst(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_1")
		young := writ.AgentRun{ID: "r_1", Agent: "coder", Output: json.RawMessage(`{"a":1}`), StartedAt: start.Add(time.Second)}
		old := writ.AgentRun{ID: "r_2", Agent: "planner", Error: "no", Code: writ.CodeModel, StartedAt: start}
		write(t, st, func(tx *Tx) error {
			return errors.Join(tx.PutRun("t_1", young), tx.PutRun("t_1", writ.AgentRun{ID: "r_2", StartedAt: start}), tx.PutRun("t_1", old))
		})
		got, err := st.Runs(t.Context(), "t_1")
		if err != nil {
			t.Fatal(err)
		}
		old.Output = json.RawMessage("null") // how a missing message is written
		if diff := cmp.Diff([]writ.AgentRun{old, young}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAHoldIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_1")
		open := writ.Hold{ID: "h_1", TaskID: "t_1", Kind: writ.HoldBudget, Question: "go on?", Options: []string{"continue", "stop"}, CreatedAt: start, ExpiresAt: start.Add(time.Hour)}
		write(t, st, func(tx *Tx) error { return tx.PutHold(open) })
		answers := []string{"continue", "stop", "continue", "stop"}
		errs := make([]error, len(answers))
		var wg sync.WaitGroup
		for i, a := range answers {
			wg.Go(func() {
				h := open
				h.Answer, h.Method, h.ClosedAt = a, fmt.Sprint(i), start.Add(time.Minute)
				errs[i] = st.Write(t.Context(), func(tx *Tx) error { return tx.PutHold(h) })
			})
		}
		wg.Wait()
		holds, err := st.Holds(t.Context(), "t_1")
		if err != nil || len(holds) != 1 {
			t.Fatalf("%v, %v", holds, err)
		}
		for i, err := range errs {
			if fmt.Sprint(i) == holds[0].Method {
				if err != nil {
					t.Errorf("the answer that counts failed: %v", err)
				}
				continue
			}
			wantCode(t, err, writ.CodeStateIllegal, "answered already")
		}
		if err := st.Write(t.Context(), func(tx *Tx) error { return tx.PutHold(holds[0]) }); err != nil {
			t.Errorf("writing the same again: %v", err)
		}
	})
}

func TestAppliesThatWereBegun(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_1")
		a := Apply{TaskID: "t_1", Workspace: "/w", Kind: KindApply, Entries: []ApplyEntry{{Path: "a", Op: writ.OpModify, BeforeSHA256: "1", AfterSHA256: "2", BeforeMode: 0o644, AfterMode: 0o755}}}
		b := Apply{TaskID: "t_1", Workspace: "/w", Kind: KindUndo}
		write(t, st, func(tx *Tx) error { return errors.Join(tx.BeginApply(&a), tx.BeginApply(&b)) })
		if a.ID == 0 || a.ID == b.ID {
			t.Fatalf("ids %d and %d", a.ID, b.ID)
		}
		a.Entries[0].Done = true
		b.Status = ApplyRolledBack
		write(t, st, func(tx *Tx) error { return errors.Join(tx.SaveApply(&a), tx.SaveApply(&b)) })
		got, err := st.Applies(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Apply{a}, got); diff != "" {
			t.Error(diff)
		}
		if err := st.Write(t.Context(), func(tx *Tx) error { return tx.SaveApply(&Apply{ID: 99}) }); err == nil {
			t.Error("an apply that was never begun was saved")
		}
	})
}

func TestTextIsFitForBothEngines(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"plain": "plain", "a\x00b": "a\uFFFDb", "a\xffb": "a\uFFFDb", strings.Repeat("é", 3): "ééé"} {
		if got := text(in); got != want {
			t.Errorf("text(%q) is %q", in, got)
		}
	}
}
