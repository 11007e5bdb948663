package supervisor

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/loop"
	"github.com/writ-dev/writ/internal/infra/journal"
	"github.com/writ-dev/writ/internal/infra/store"
	"github.com/writ-dev/writ/internal/supervisor/fsm"
	"github.com/writ-dev/writ/internal/supervisor/staging"
	"github.com/writ-dev/writ/internal/tools/gitx"
	"github.com/writ-dev/writ/internal/tools/guard"
)

// run is one drive of one task: the persisted task and the world opened
// around it. It carries no truth of its own; all of it can be opened again
// from the store.
type run struct {
	s       *Supervisor
	ledger  *journal.Task
	root    *guard.Root
	locks   *guard.LockSet
	overlay *staging.Overlay
	runner  *loop.Runner
	meter   *meter
	repo    *gitx.Repo
	applier *staging.Applier
	lease   *lease

	mu    sync.Mutex // guards task against the callbacks of an agent run
	task  *writ.Task
	phase openPhase
	// denied counts the refused writing acts of the step that runs, to tell a
	// step that failed for them from one that did nothing.
	denied     int
	deniedCode writ.Code
}

type openPhase struct {
	started time.Time
	usage   writ.Usage
}

// open loads the task and opens its workspace once, so that a folder swapped
// for a link later leads nowhere.
func (s *Supervisor) open(ctx context.Context, taskID string) (*run, error) {
	t, err := s.d.Store.Task(ctx, taskID)
	if err != nil {
		return nil, err
	}
	root, err := s.openRoot(t.Workspace)
	if err != nil {
		return nil, err
	}
	held, err := s.take(t.ID)
	if err != nil {
		root.Close()
		return nil, err
	}
	r := &run{s: s, task: t, root: root, lease: held, ledger: s.d.Journal.Task(t.ID), locks: guard.NewLockSet(t.Work.LockSet...)}
	r.meter = &meter{run: r}
	r.repo, err = gitx.Open(ctx, t.Workspace)
	if err != nil {
		r.close()
		return nil, fmt.Errorf("look for a repository: %w", err)
	}
	if r.applier, err = s.applierFor(root); err != nil {
		r.close()
		return nil, err
	}
	if _, err := r.applier.Recover(ctx, func(id string) bool { return id != t.ID && s.Live(id) }); err != nil {
		r.close()
		return nil, fmt.Errorf("end an interrupted apply: %w", err)
	}
	r.overlay, err = staging.Open(ctx, staging.Options{
		Task: t.ID, Root: root, Guard: &guard.Guard{Root: root, Locks: r.locks, Grants: r.mayStage},
		Ledger: r.ledger, Store: s.d.Store, Syntax: s.d.Syntax, List: r.list,
		Extend: r.extend, Command: r.commandForAgent,
	})
	if err != nil {
		r.close()
		return nil, fmt.Errorf("open the staging area: %w", err)
	}
	r.runner = loop.New(loop.Options{
		Caller: &caller{run: r}, Tools: &toolbox{run: r, inner: s.d.Tools}, Recorder: &recorder{run: r},
		Redact: s.d.Redact.Text, Now: s.d.Now, NewID: s.d.NewID,
	})
	return r, nil
}

// openRoot opens a workspace under the path policy of the configuration.
func (s *Supervisor) openRoot(workspace string) (*guard.Root, error) {
	g := s.d.Config.Governance
	policy, err := guard.NewPolicy(guard.PolicyOptions{Protected: g.Protected, FileNames: g.FileNames})
	if err != nil {
		return nil, fmt.Errorf("build the path policy: %w", err)
	}
	root, err := guard.OpenRoot(workspace, policy)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	return root, nil
}

func (s *Supervisor) applierFor(root *guard.Root) (*staging.Applier, error) {
	return staging.NewApplier(staging.ApplierOptions{
		Store: s.d.Store, Root: root, Ledger: func(id string) staging.Ledger { return s.d.Journal.Task(id) },
	})
}

func (r *run) close() {
	r.root.Close()
	r.lease.release()
}

// list returns what git would list, without what must not be shown: secret
// files stay out unless the plan names them.
func (r *run) list(ctx context.Context) ([]string, error) {
	files, err := r.repo.Files(ctx)
	if err != nil {
		return nil, err
	}
	kept := files[:0]
	for _, f := range files {
		if !r.root.Secret(f) || r.locks.Has(f) {
			kept = append(kept, f)
		}
	}
	return kept, nil
}

// emit records an event of this task; it becomes visible with the next commit.
func (r *run) emit(typ writ.EventType, agent string, data any) { r.ledger.Emit(typ, agent, data) }

// commit stores the task with everything buffered since the last commit. It
// works although the drive's context is over: a decision that was made is
// recorded.
func (r *run) commit(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.commitLocked(ctx)
}

func (r *run) commitLocked(ctx context.Context, more ...func(*store.Tx) error) error {
	t := r.task
	fns := append(more, func(tx *store.Tx) error { return tx.SaveTask(t) })
	if err := r.ledger.Commit(context.WithoutCancel(ctx), fns...); err != nil {
		return fmt.Errorf("record the task's progress: %w", err)
	}
	return nil
}

// move changes the state and says so.
func (r *run) move(to writ.State) error {
	from := r.task.State
	if err := fsm.Move(r.task, to); err != nil {
		slog.Error("illegal transition", "task", r.task.ID, "from", from, "to", to)
		return err
	}
	r.emit(writ.EventTaskStateChanged, "", map[string]any{"from": from, "to": to})
	return nil
}

// openPhaseLabel starts a phase; a phase that is still open is finished first.
func (r *run) openPhaseLabel(p writ.Phase) {
	r.closePhase("done")
	r.task.Phase = p
	r.phase = openPhase{started: r.s.d.Now(), usage: r.task.Work.Usage}
	r.emit(writ.EventPhaseStarted, "", map[string]any{"name": p, "round": r.task.Work.Round})
}

// closePhase finishes the open phase, if there is one.
func (r *run) closePhase(status string) {
	if r.task.Phase == writ.PhaseIdle || r.phase.started.IsZero() {
		return
	}
	p := writ.PhaseRun{
		Name: r.task.Phase, Status: status, DurationMS: r.s.d.Now().Sub(r.phase.started).Milliseconds(),
		Usage: writ.PhaseUsage{
			InputTokens:  r.task.Work.Usage.InputTokens - r.phase.usage.InputTokens,
			OutputTokens: r.task.Work.Usage.OutputTokens - r.phase.usage.OutputTokens,
		},
	}
	r.task.Work.Phases = append(r.task.Work.Phases, p)
	r.emit(writ.EventPhaseFinished, "", p)
	r.task.Phase = writ.PhaseIdle
	r.phase = openPhase{}
}

// deny records a refused act: in the report and as an event.
func (r *run) deny(d writ.Denial, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d.Path = r.s.d.Redact.Text(d.Path)
	r.task.Work.Denials = append(r.task.Work.Denials, d)
	r.emit(writ.EventGuardDenied, d.Agent, map[string]any{"code": d.Code, "path": d.Path, "agent": d.Agent, "tool": d.Tool, "message": message})
}

// degrade records that something stood in for a model.
func (r *run) degrade(d writ.Degradation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, known := range r.task.Work.Degradations {
		if known == d {
			return
		}
	}
	r.task.Work.Degradations = append(r.task.Work.Degradations, d)
	r.emit(writ.EventDegraded, d.Agent, d)
}

// withTaskTime bounds a phase by what is left of the task's time, holds
// excluded.
func (r *run) withTaskTime(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := r.task.Options.Limits.TaskTimeout
	if limit <= 0 || r.task.StartedAt.IsZero() || r.task.Work.Next == phaseEnd {
		return context.WithCancel(ctx)
	}
	used := r.s.d.Now().Sub(r.task.StartedAt) - r.task.Work.HeldFor
	left := limit*time.Duration(1+r.task.Work.TimeBudgets) - used
	return context.WithTimeoutCause(ctx, max(left, time.Millisecond), errTaskTime)
}

func (s *Supervisor) logPanic(task string, p any, stack []byte) {
	slog.Error("panic in a phase", "task", task, "panic", fmt.Sprint(p), "stack", string(stack))
}

// oneLine folds white space, so that a message is one line in every output.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 400 {
		s = strings.ToValidUTF8(s[:400], "") + "…"
	}
	return s
}
