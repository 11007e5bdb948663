package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestProjectIsStable(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st, again := p.open(t), p.open(t)
		ids := map[string]string{}
		for _, w := range []string{"/w", "/w/", "/w/../w", "/other"} {
			for _, s := range []*Store{st, again} {
				id, err := s.Project(t.Context(), w)
				if err != nil {
					t.Fatal(err)
				}
				if known := ids[w]; known != "" && known != id {
					t.Errorf("%s is %s and %s", w, known, id)
				}
				ids[w] = id
			}
		}
		if ids["/w"] != ids["/w/"] || ids["/w"] != ids["/w/../w"] || ids["/w"] == ids["/other"] {
			t.Errorf("%v", ids)
		}
	})
}

func TestTaskComesBackWhole(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		want := newTask("t_01KXAAAAAAAAAAAAAAAAAAAAAA", "/w")
		write(t, st, func(tx *Tx) error { return tx.CreateTask(want) })
		project, err := st.Project(t.Context(), "/w")
		if err != nil || want.ProjectID != project {
			t.Errorf("project %q, %q, %v", want.ProjectID, project, err)
		}
		want.State, want.Outcome, want.SessionID = writ.StatePlan, writ.OutcomeNeedsInput, "s_1"
		want.StartedAt = start.Add(time.Second)
		write(t, st, func(tx *Tx) error { return tx.SaveTask(want) })
		for _, id := range []string{want.ID, want.ID[:8], want.ID[:20]} {
			got, err := st.Task(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", id, diff)
			}
		}
	})
}

func TestTaskRefuses(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_01KXAAAA1", "t_01KXAAAA2")
		for id, says := range map[string]string{
			"t_01KXAAAA": "begins the ids of several tasks", "t_01KX": `no task "t_01KX"`, "t_01KXBBBB": "no task",
			"": "no task", "%%%%%%%%": "no task", "________": "no task", "t_01kxaaaa1": "no task", "' OR 1=1 --": "no task", "t_01KX\x00\xff": "no task",
		} {
			_, err := st.Task(t.Context(), id)
			wantCode(t, err, writ.CodeUsage, says)
		}
		err := st.Write(t.Context(), func(tx *Tx) error { return tx.SaveTask(newTask("t_none", "/w")) })
		wantCode(t, err, writ.CodeUsage, `no task "t_none"`)
	})
}

func TestTasksAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		if last, err := st.LastTask(t.Context(), "/w"); last != nil || err != nil {
			t.Errorf("an empty store has %v, %v", last, err)
		}
		for i, id := range []string{"t_b", "t_a", "t_c"} {
			task := newTask(id, map[bool]string{true: "/w", false: "/v"}[id != "t_c"])
			task.CreatedAt = start.Add(time.Duration(i/2) * time.Second) // the first two at the same time
			write(t, st, func(tx *Tx) error { return tx.CreateTask(task) })
		}
		for name, tc := range map[string]struct {
			filter TaskFilter
			want   []string
		}{
			"all":       {TaskFilter{}, []string{"t_c", "t_b", "t_a"}},
			"some":      {TaskFilter{Limit: 2}, []string{"t_c", "t_b"}},
			"workspace": {TaskFilter{Workspace: "/w/"}, []string{"t_b", "t_a"}},
			"nowhere":   {TaskFilter{Workspace: "/"}, nil},
		} {
			tasks, err := st.Tasks(t.Context(), tc.filter)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, task := range tasks {
				got = append(got, task.ID)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		last, err := st.LastTask(t.Context(), "/w")
		if err != nil || last.ID != "t_b" {
			t.Errorf("last is %v, %v", last, err)
		}
	})
}

// A process that was asleep while its task was cancelled must not revive it.
func TestSaveTaskNeverRevivesAnEndedTask(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_1")
		save := func(state writ.State) error {
			task := newTask("t_1", "/w")
			task.State = state
			return st.Write(t.Context(), func(tx *Tx) error { return tx.SaveTask(task) })
		}
		for _, s := range []writ.State{writ.StatePlan, writ.StateCancelled, writ.StateCancelled} {
			if err := save(s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
		wantCode(t, save(writ.StateExec), writ.CodeStateIllegal, "t_1", "CANCELLED")
		wantCode(t, save(writ.StateDone), writ.CodeStateIllegal)
		got, err := st.Task(t.Context(), "t_1")
		if err != nil || got.State != writ.StateCancelled {
			t.Errorf("state %s, %v", got.State, err)
		}
	})
}

func TestReportIsTheLastOneWritten(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		addTasks(t, st, "t_1")
		if r, err := st.Report(t.Context(), "t_1"); r != nil || err != nil {
			t.Errorf("%v, %v", r, err)
		}
		want := &writ.Report{Type: "task.report", TaskID: "t_1", State: writ.StateDone, Outcome: writ.OutcomeSucceeded, Answer: "<ok> & \u2028"}
		write(t, st, func(tx *Tx) error { return tx.PutReport("t_1", &writ.Report{TaskID: "t_1"}) })
		write(t, st, func(tx *Tx) error { return tx.PutReport("t_1", want) })
		got, err := st.Report(t.Context(), "t_1")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestNothingIsWrittenForAnUnknownTask(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		for name, fn := range map[string]func(*Tx) error{
			"event":  func(tx *Tx) error { return tx.AppendEvents("t_x", []writ.Event{{Type: writ.EventError}}) },
			"change": func(tx *Tx) error { return tx.PutChange("t_x", writ.Change{Path: "a"}) },
			"call":   func(tx *Tx) error { return tx.PutCall(Call{TaskID: "t_x", Key: "k"}) },
			"run":    func(tx *Tx) error { return tx.PutRun("t_x", writ.AgentRun{ID: "r"}) },
			"hold":   func(tx *Tx) error { return tx.PutHold(writ.Hold{TaskID: "t_x", ID: "h"}) },
			"report": func(tx *Tx) error { return tx.PutReport("t_x", &writ.Report{}) },
			"apply":  func(tx *Tx) error { return tx.BeginApply(&Apply{TaskID: "t_x"}) },
			"lock":   func(tx *Tx) error { return tx.LockPaths("t_x", "/w", []string{"a"}) },
			"lease":  func(tx *Tx) error { return tx.SetLease("t_x", "me", start) },
		} {
			if err := st.Write(t.Context(), fn); err == nil {
				t.Errorf("a %s was written", name)
			}
		}
	})
}
