package fsm

import (
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestMoveAllowsExactlyTheTable(t *testing.T) {
	t.Parallel()
	legal := map[[2]writ.State]bool{
		{"IDLE", "PLAN"}: true, {"IDLE", "CANCELLED"}: true,
		{"PLAN", "EXEC"}: true, {"PLAN", "PLAN"}: true, {"PLAN", "CANCELLED"}: true,
		{"EXEC", "VERIFY"}: true, {"EXEC", "CANCELLED"}: true,
		{"VERIFY", "DONE"}: true, {"VERIFY", "EXEC"}: true, {"VERIFY", "CANCELLED"}: true,
	}
	for _, from := range append(writ.States(), "", "PAUSED") {
		for _, to := range append(writ.States(), "", "PAUSED") {
			task := writ.Task{State: from, Prompt: "kept"}
			err := Move(&task, to)
			if legal[[2]writ.State{from, to}] {
				if err != nil || task.State != to {
					t.Errorf("%s -> %s: err %v, state %s", from, to, err, task.State)
				}
				continue
			}
			var illegal *writ.IllegalTransitionError
			if !errors.As(err, &illegal) {
				t.Errorf("%s -> %s: got %v, want IllegalTransitionError", from, to, err)
			}
			if diff := cmp.Diff(writ.Task{State: from, Prompt: "kept"}, task); diff != "" {
				t.Errorf("%s -> %s changed the task: %s", from, to, diff)
			}
			if writ.CodeOf(err) != writ.CodeStateIllegal {
				t.Errorf("code %s", writ.CodeOf(err))
			}
		}
	}
}

// TestRandomWalks tries random targets: a task never leaves a final state,
// never reaches DONE without VERIFY right before it, and EXEC is always
// followed by VERIFY or CANCELLED.
func TestRandomWalks(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	all := writ.States()
	for range 5_000 {
		task := writ.Task{State: writ.StateIdle}
		trail := []writ.State{task.State}
		for range 40 {
			if Move(&task, all[rng.IntN(len(all))]) == nil {
				trail = append(trail, task.State)
			}
		}
		for i := 1; i < len(trail); i++ {
			from, to := trail[i-1], trail[i]
			switch {
			case from.Final():
				t.Fatalf("left %s: %v", from, trail)
			case to == writ.StateDone && from != writ.StateVerify:
				t.Fatalf("DONE without VERIFY: %v", trail)
			case from == writ.StateExec && to != writ.StateVerify && to != writ.StateCancelled:
				t.Fatalf("EXEC not followed by VERIFY: %v", trail)
			}
		}
	}
}

func TestDiagramIsTheCommittedPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/state-machine.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(page), Diagram()); diff != "" {
		t.Errorf("docs/state-machine.md is stale, run go generate ./...: %s", diff)
	}
}
