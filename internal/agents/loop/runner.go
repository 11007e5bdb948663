package loop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/registry"
)

// DefaultRounds is how many model answers one run may take.
const DefaultRounds = 10

// Call is one model call of a run. Step is empty outside the Coder; Round
// counts from 1.
type Call struct {
	Agent, Step    string
	Attempt, Round int
	Request        *writ.Request
}

// Caller asks a model, under whatever budget, retries and journal stand behind
// it. onText receives the answer's text as it arrives and may be nil. A
// *[writ.ModelError] says that no model answered; any error ends the run.
type Caller interface {
	Call(ctx context.Context, call Call, onText func(string)) (writ.Response, error)
}

// Tools are the registered tools; see [registry.Registry.Call] for the results.
type Tools interface {
	ModelTools(names []string) []writ.ModelTool
	Call(ctx context.Context, role registry.Role, in writ.Invocation) (result []byte, refused *writ.Error, err error)
}

// Recorder takes what happens in a run. Emit publishes an event, Deny lists a
// refused act in the report, Run stores the record of a run.
type Recorder interface {
	Emit(typ writ.EventType, agent string, data any)
	Deny(d writ.Denial)
	Run(run writ.AgentRun)
}

// Options set a Runner up. Caller, Tools, Recorder, Now and NewID are required.
type Options struct {
	Caller        Caller
	Tools         Tools
	Recorder      Recorder
	Redact        func(string) string // nil leaves texts as they are
	Now           func() time.Time
	NewID         func() string // for run ids; it never enters a request
	DefaultRounds int           // 0 means [DefaultRounds]
}

// Settings are what configuration says about a role. A zero field leaves the
// agent's own value.
type Settings struct {
	Temperature *float64
	MaxTokens   int
	Rounds      int
	Think       bool // ask for step-by-step thinking inside think tags
}

// Apply lays the settings over an agent's declaration.
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
	return spec
}

// Result is what a run came to. After an error it holds what there was until
// then.
type Result struct {
	// Answer is the last one, as the agent gave it.
	Answer writ.Answer
	// Output is the processed result, and nil for an agent that answers in text.
	Output []byte
	// Written are the paths of successful writing calls, in order, each once.
	Written []string
	// Standing are the refusals for syntax that no later write to the same path
	// made good. They are not reported as denials yet: a further attempt may
	// still make them good.
	Standing []writ.Error
	Run      writ.AgentRun
}

// ErrPaused marks errors by which a run ends without having failed: a person
// must answer first. Such an error says so through its Is method.
var ErrPaused = errors.New("paused")

// Runner runs agents. It keeps nothing between runs and is safe for concurrent
// use where its parts are.
type Runner struct{ o Options }

// New returns a Runner. It panics on a missing part, which is a programmer's
// mistake.
func New(o Options) *Runner {
	for name, missing := range map[string]bool{
		"Caller": o.Caller == nil, "Tools": o.Tools == nil, "Recorder": o.Recorder == nil,
		"Now": o.Now == nil, "NewID": o.NewID == nil,
	} {
		if missing {
			panic("loop: no " + name)
		}
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.DefaultRounds <= 0 {
		o.DefaultRounds = DefaultRounds
	}
	return &Runner{o: o}
}

// Run runs an agent once. The error is nil, or
//
//   - an *[writ.Error] of code LIMIT_REACHED, LOOP_DETECTED or SCHEMA_INVALID: the model
//     did not come to an end or gave nothing usable, another attempt may help;
//   - a *[writ.ModelError]: no model answered;
//   - anything else as it came from a part, or INTERNAL after a panic.
//
// A run with attempt 0 counts as the first.
func (r *Runner) Run(ctx context.Context, agent writ.Agent, in writ.AgentInput) (res Result, err error) {
	in.Attempt = max(in.Attempt, 1)
	spec := agent.Spec()
	started := r.o.Now()
	res.Run = writ.AgentRun{
		ID: "r_" + r.o.NewID(), Agent: spec.Name, Attempt: in.Attempt, StartedAt: started.UTC(),
		Usage: writ.ModelUsage{Source: writ.UsageNone},
	}
	if in.Step != nil {
		res.Run.Step = in.Step.ID
	}
	r.o.Recorder.Emit(writ.EventAgentStarted, spec.Name, map[string]any{
		"run_id": res.Run.ID, "role": spec.Name, "attempt": in.Attempt, "step": res.Run.Step,
	})
	defer func() {
		if p := recover(); p != nil {
			err = &writ.Error{Code: writ.CodeInternal, Op: "run agent " + spec.Name, Msg: fmt.Sprintf("panic: %v", p)}
		}
		r.record(&res, err, started)
	}()
	c := &conversation{r: r, agent: agent, spec: spec, in: in, res: &res}
	return res, c.run(ctx)
}

// record ends a run in the books.
func (r *Runner) record(res *Result, err error, started time.Time) {
	run := &res.Run
	run.DurationMS = r.o.Now().Sub(started).Milliseconds()
	run.Rounds = res.Answer.Rounds
	run.Output = r.output(res)
	if err != nil {
		run.Error, run.Code = r.o.Redact(err.Error()), codeOf(err)
	}
	r.o.Recorder.Emit(writ.EventAgentFinished, run.Agent, map[string]any{
		"run_id": run.ID, "role": run.Agent, "attempt": run.Attempt, "step": run.Step, "rounds": run.Rounds,
		"input_tokens": run.Usage.Input, "output_tokens": run.Usage.Output, "estimated": run.Usage.Source != writ.UsageReported,
		"duration_ms": run.DurationMS, "code": run.Code, "error": run.Error, "model": run.Model,
	})
	r.o.Recorder.Run(*run)
}

// codeOf names how a run ended; a pause is no failure.
func codeOf(err error) writ.Code {
	var model *writ.ModelError
	switch {
	case errors.Is(err, ErrPaused):
		return ""
	case errors.As(err, &model):
		return writ.CodeModel
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return writ.CodeCancelled
	default:
		return writ.CodeOf(err)
	}
}

// Deny lists a refused act in the report.
func (r *Runner) Deny(d writ.Denial) { r.o.Recorder.Deny(d) }

// Retried says that a further attempt begins, and why.
func (r *Runner) Retried(agent string, data Retry) {
	data.Error = r.o.Redact(data.Error)
	r.o.Recorder.Emit(writ.EventAgentRetried, agent, data)
}

// Retry is the data of agent.retried. Attempt is the one that begins.
type Retry struct {
	Phase   writ.Phase `json:"phase"`
	Step    string     `json:"step,omitempty"`
	Attempt int        `json:"attempt"`
	Error   string     `json:"error"`
	Code    writ.Code  `json:"code,omitempty"`
}
