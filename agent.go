package writ

import (
	"context"
	"encoding/json"
	"time"
)

// AgentSpec declares an agent. Name, Description, Role and Effects are
// required; a second agent of the same name is refused. Tools lists what the
// role sees and may call; any other call is TOOL_DENIED.
type AgentSpec struct {
	Name        string
	Description string
	Role        string // one sentence that stands in the system prompt
	Tools       []string
	Effects     Effects         // the union of what its tools may do
	Submit      string          // the name of its result tool, such as submit_plan; empty for a text answer
	Schema      json.RawMessage // the result's JSON Schema; required with Submit
	Guard       Guard           // judges the result before it is used; required
	Temperature float64
	MaxTokens   int
	MaxRounds   int
}

// Agent is one role: a prompt, a tool list and a result type. Only the prompt
// must be supplied; [Preparer] and [Processor] replace the defaults. Each run
// has a fixed order: build prompt, prepare, call, process, record.
type Agent interface {
	Spec() AgentSpec
	// Prompt fills the agent's templates. It has no effect and is safe for
	// concurrent use.
	Prompt(ctx context.Context, in AgentInput) (Prompt, error)
}

// Preparer changes the request before it is sent.
type Preparer interface {
	Prepare(ctx context.Context, in AgentInput, req *Request) error
}

// Processor turns the final answer into the agent's output. An *Error of code
// SCHEMA_INVALID asks for one more try with the reason.
type Processor interface {
	Process(ctx context.Context, in AgentInput, answer Answer) (json.RawMessage, error)
}

// Prompt is what an agent says first. System holds what stays the same from
// run to run, so that a provider's cache hits; User holds the rest.
type Prompt struct {
	System string
	User   string
}

// AgentInput is what an agent run receives.
type AgentInput struct {
	Task      *Task
	Step      *Step           // nil outside the Coder
	Action    string          // generate, modify or fix_issues for the Coder
	Attempt   int             // from 1
	LastError string          // of the attempt before; enters the prompt
	Findings  []Finding       // what to repair
	Failures  []string        // failed checks, cut and redacted
	Context   []ContextBlock  // untrusted text for the prompt
	Data      json.RawMessage // anything more, of the agent's own type
	Workspace Workspace
}

// ContextBlock is untrusted text with its source, shown to a model as data.
type ContextBlock struct {
	Source string
	Text   string
}

// Answer is the last model answer of a run: the arguments of the submit call,
// or JSON found in the text, or plain text.
type Answer struct {
	Text   string
	Result json.RawMessage
	Rounds int
}

// AgentRun is the record of one run.
type AgentRun struct {
	ID         string          `json:"run_id"`
	Agent      string          `json:"agent"`
	Step       string          `json:"step,omitempty"`
	Attempt    int             `json:"attempt"`
	Model      string          `json:"model"`
	Input      string          `json:"input"`  // redacted
	Output     json.RawMessage `json:"output"` // redacted
	Error      string          `json:"error,omitempty"`
	Code       Code            `json:"code,omitempty"`
	Usage      ModelUsage      `json:"usage"`
	Rounds     int             `json:"rounds"`
	StartedAt  time.Time       `json:"started_at"`
	DurationMS int64           `json:"duration_ms"`
}
