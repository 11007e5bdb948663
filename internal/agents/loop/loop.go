package loop

import (
	"context"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/registry"
)

// The defaults of a run.
const (
	DefaultRounds      = 10
	DefaultMaxTokens   = 8192
	DefaultTemperature = 0.3
)

// Settings are what configuration may change of a role; zero fields leave the
// role's own.
type Settings struct {
	Temperature *float64
	MaxTokens   int
	Rounds      int
}

// Apply puts the settings over a role's declaration.
func (s Settings) Apply(spec writ.AgentSpec) writ.AgentSpec {
	if s.Temperature != nil {
		spec.Temperature = *s.Temperature
	}
	if s.MaxTokens > 0 {
		spec.MaxTokens = s.MaxTokens
	}
	if s.Rounds > 0 {
		spec.MaxRounds = s.Rounds
	}
	if spec.MaxTokens == 0 {
		spec.MaxTokens = DefaultMaxTokens
	}
	if spec.MaxRounds == 0 {
		spec.MaxRounds = DefaultRounds
	}
	return spec
}

// Call is one model call of a run.
type Call struct {
	Agent, Step    string
	Attempt, Round int
	Request        *writ.Request
}

// Caller makes model calls: it replays journaled answers, keeps the budget and
// asks the router. Its errors end the run: a *writ.ModelError where every
// model failed, a *writ.Error of code BUDGET_EXCEEDED.
type Caller interface {
	Call(ctx context.Context, call Call, onText func(string)) (writ.Response, error)
}

// Tools carries out calls. The result is the standard JSON object; refused is
// set where it says so; err ends the run.
type Tools interface {
	ModelTools(names []string) []writ.ModelTool
	Call(ctx context.Context, role registry.Role, in writ.Invocation) (result []byte, refused *writ.Error, err error)
}

// Recorder takes what a run reports. It is safe for concurrent use.
type Recorder interface {
	Emit(typ writ.EventType, agent string, data any)
	Deny(d writ.Denial)
	Run(r writ.AgentRun)
}

// Options are the parts of a Runner; all are required.
type Options struct {
	Caller   Caller
	Tools    Tools
	Recorder Recorder
	Redact   func(string) string
	Now      func() time.Time
	NewID    func() string
}

// Runner runs agents. It keeps no state between runs and is safe for
// concurrent use.
type Runner struct{ o Options }

// New builds a runner.
func New(o Options) *Runner { return &Runner{o} }

// Retried publishes that an agent is tried again, and why.
func (r *Runner) Retried(agent, phase string, attempt int, err string) {
	r.o.Recorder.Emit(writ.EventAgentRetried, agent, map[string]any{"phase": phase, "attempt": attempt, "error": cut(r.o.Redact(err), 500)})
}

// Invoke carries out one tool call outside a conversation, under the same
// rules and with the same events as inside one.
func (r *Runner) Invoke(ctx context.Context, spec writ.AgentSpec, in writ.Invocation) (result []byte, refused *writ.Error, err error) {
	return r.invoke(ctx, spec, in)
}
