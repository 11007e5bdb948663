package supervisor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/audit"
	"github.com/writ-dev/writ/internal/infra/config"
	"github.com/writ-dev/writ/internal/infra/journal"
	"github.com/writ-dev/writ/internal/infra/model/router"
	"github.com/writ-dev/writ/internal/infra/redact"
	"github.com/writ-dev/writ/internal/infra/store"
	"github.com/writ-dev/writ/internal/tools/registry"
	"github.com/writ-dev/writ/internal/tools/sandbox"
)

// Deps are the parts that a Supervisor works with. All are required but
// Router, which is nil where no model is configured.
type Deps struct {
	Store   *store.Store
	Journal *journal.Journal
	Audit   *audit.Log
	Router  *router.Router
	Wanted  func(agent string) string // the model a role would use, for degradations
	Tools   *registry.Registry
	Agents  map[string]writ.Agent // planner, coder, qa
	Syntax  func(ctx context.Context, path string, content []byte) writ.Syntax
	Sandbox *sandbox.Sandbox
	Redact  *redact.Redactor
	Config  *config.Config
	// WorkDir is where trees for commands are laid out, outside every workspace.
	WorkDir string
	// Author names and mails the commits that are delivered where git names nobody.
	Version string
	Now     func() time.Time
	NewID   func() string // a ULID
}

// Supervisor runs tasks. It is safe for concurrent use; two of them in one
// process share no state but the store they were given.
type Supervisor struct {
	d Deps
}

// New checks that every required part is there. A missing one is a mistake of
// the wiring and named.
func New(d Deps) (*Supervisor, error) {
	for name, missing := range map[string]bool{
		"Store": d.Store == nil, "Journal": d.Journal == nil, "Audit": d.Audit == nil, "Tools": d.Tools == nil,
		"Syntax": d.Syntax == nil, "Sandbox": d.Sandbox == nil, "Redact": d.Redact == nil, "Config": d.Config == nil,
		"WorkDir": d.WorkDir == "", "Now": d.Now == nil, "NewID": d.NewID == nil, "Wanted": d.Wanted == nil,
	} {
		if missing {
			return nil, fmt.Errorf("supervisor: no %s given", name)
		}
	}
	for _, name := range []string{"planner", "coder", "qa"} {
		if d.Agents[name] == nil {
			return nil, fmt.Errorf("supervisor: no agent %s given", name)
		}
	}
	return &Supervisor{d: d}, nil
}

// Request is what a person asks for.
type Request struct {
	Workspace string // absolute, an existing directory
	Prompt    string
	Type      writ.TaskType
	Priority  writ.Priority
	SessionID string
	Options   writ.Options
	// Warnings are shown beside the task, such as settings that an untrusted
	// workspace may not make.
	Warnings []string
}

// Create records a new task in state IDLE. Its prompt is redacted before it is
// stored. Limits that the request leaves open come from the configuration.
func (s *Supervisor) Create(ctx context.Context, q Request) (*writ.Task, error) {
	if strings.TrimSpace(q.Prompt) == "" {
		return nil, &writ.Error{Code: writ.CodeUsage, Msg: "the request is empty", Hint: "say what to do: writ run \"…\""}
	}
	project, err := s.d.Store.Project(ctx, q.Workspace)
	if err != nil {
		return nil, fmt.Errorf("name the project: %w", err)
	}
	t := &writ.Task{
		ID: "t_" + s.d.NewID(), ProjectID: project, SessionID: q.SessionID, Workspace: q.Workspace,
		Prompt: s.d.Redact.Text(q.Prompt), Type: q.Type, Priority: q.Priority,
		State: writ.StateIdle, Phase: writ.PhaseIdle, Options: q.Options, CreatedAt: s.d.Now().UTC(),
	}
	t.Options.Limits = s.limits(q.Options.Limits)
	t.Work.Next = phaseIntake
	t.Work.Delivery.Mode = q.Options.Deliver
	ledger := s.d.Journal.Task(t.ID)
	ledger.Emit(writ.EventTaskCreated, "", map[string]any{
		"prompt": t.Prompt, "type": t.Type, "priority": t.Priority, "workspace": t.Workspace, "options": t.Options,
	})
	for _, w := range q.Warnings {
		ledger.Emit(writ.EventGuardDenied, "", map[string]any{"code": writ.CodeConfig, "message": w})
	}
	if err := ledger.Commit(ctx, func(tx *store.Tx) error { return tx.CreateTask(t) }); err != nil {
		return nil, fmt.Errorf("record the task: %w", err)
	}
	return t, nil
}

// limits fills what a request left open from the configuration.
func (s *Supervisor) limits(l writ.Limits) writ.Limits {
	g := s.d.Config.Governance
	if l.HardTokens == 0 {
		l.HardTokens, l.SoftTokens = g.Tokens.Hard, g.Tokens.Soft
	}
	if l.SoftTokens == 0 || l.SoftTokens > l.HardTokens {
		l.SoftTokens = l.HardTokens / 2
	}
	if l.CostUSD == 0 {
		l.CostUSD = g.MaxCostUSD
	}
	if l.TaskTimeout == 0 {
		l.TaskTimeout = g.TaskTimeout.Std()
	}
	if l.StepTimeout == 0 {
		l.StepTimeout = g.StepTimeout.Std()
	}
	l.VerifyRetry = g.VerifyRetryMax
	l.StepAttempts = max(1, g.GenerateRetryMax)
	return l
}
