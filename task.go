package writ

import "time"

// TaskType selects the chain of agents that a task runs through.
type TaskType string

// The task types of the contract.
const (
	TypeQA           TaskType = "simple_qa"
	TypeCoding       TaskType = "coding"
	TypeArchitecture TaskType = "architecture"
	TypeDeployment   TaskType = "deployment"
	TypeSDD          TaskType = "sdd"
)

// String returns the type as the contract writes it.
func (t TaskType) String() string { return string(t) }

// TaskTypes lists every task type.
func TaskTypes() []TaskType {
	return []TaskType{TypeQA, TypeCoding, TypeArchitecture, TypeDeployment, TypeSDD}
}

// Priority orders waiting tasks: P0 before P1 before P2.
type Priority string

// The three priorities.
const (
	P0 Priority = "P0"
	P1 Priority = "P1"
	P2 Priority = "P2"
)

// String returns the priority as the contract writes it.
func (p Priority) String() string { return string(p) }

// ApplyMode says what happens to staged changes once a task is DONE.
type ApplyMode string

// The apply modes.
const (
	ApplyVerified ApplyMode = "verified" // applied as the last act of VERIFY
	ApplyReview   ApplyMode = "review"   // left staged for writ apply
	ApplyNever    ApplyMode = "never"    // kept only to be seen
)

// DeliverMode says what git gets once a task is DONE.
type DeliverMode string

// The delivery modes.
const (
	DeliverNone   DeliverMode = "none"
	DeliverPatch  DeliverMode = "patch"
	DeliverBranch DeliverMode = "branch"
	DeliverPR     DeliverMode = "pr"
)

// Options are the person's choices for one task. The zero value of a limit is
// "as configured"; the supervisor fills it in before the task starts.
type Options struct {
	Apply       ApplyMode   `json:"apply"`
	Deliver     DeliverMode `json:"deliver"`
	PlanOnly    bool        `json:"plan_only,omitempty"`
	ApprovePlan bool        `json:"approve_plan,omitempty"`
	Yes         bool        `json:"yes,omitempty"`      // answer holds with their default
	NoInput     bool        `json:"no_input,omitempty"` // never ask
	Refresh     bool        `json:"refresh,omitempty"`  // use no cached answer, parse or graph
	Verbose     bool        `json:"verbose,omitempty"`
	Limits      Limits      `json:"limits"`
}

// Limits are the hard bounds of one task. Tokens are input plus output, cached
// ones included; a zero cost means no limit on cost.
type Limits struct {
	SoftTokens   int64         `json:"soft_tokens"`
	HardTokens   int64         `json:"hard_tokens"`
	CostUSD      float64       `json:"cost_usd"`
	TaskTimeout  time.Duration `json:"task_timeout"`  // holds excluded
	StepTimeout  time.Duration `json:"step_timeout"`  // one step with all its attempts
	VerifyRetry  int           `json:"verify_retry"`  // repair rounds after the first
	StepAttempts int           `json:"step_attempts"` // generations of one step, per round; at least 1
}

// Task is one governed piece of work on one workspace, as it is persisted. No
// variable or goroutine carries truth between its phases: all of it is here,
// in its changes, and in its journal.
type Task struct {
	ID        string    `json:"task_id"` // "t_" and a ULID
	ProjectID string    `json:"project_id"`
	SessionID string    `json:"session_id,omitempty"`
	Workspace string    `json:"workspace"` // absolute path
	Prompt    string    `json:"prompt"`
	Type      TaskType  `json:"task_type"`
	Priority  Priority  `json:"priority"`
	State     State     `json:"state"`
	Phase     Phase     `json:"phase"`
	Outcome   Outcome   `json:"outcome"` // empty until the task ends or waits
	Reason    Reason    `json:"reason"`
	Options   Options   `json:"options"`
	Work      Work      `json:"work"`
	CreatedAt time.Time `json:"created_at"`
	StartedAt time.Time `json:"started_at"`
	EndedAt   time.Time `json:"ended_at"`
}

// Work is the execution context of a task: what each phase receives from the
// ones before it and hands on to the ones after it.
type Work struct {
	Next         string        `json:"next"` // the phase function that runs next; empty when none does
	Plan         *Plan         `json:"plan,omitempty"`
	PlanByRules  bool          `json:"plan_by_rules,omitempty"`
	LockSet      []string      `json:"lock_set,omitempty"` // sorted, workspace-relative
	Extended     []string      `json:"extended,omitempty"` // paths that joined the lock set by request_file
	Round        int           `json:"round"`              // repair round, 0 while the first generation runs
	Verification Verification  `json:"verification"`
	Denials      []Denial      `json:"denials,omitempty"`
	Degradations []Degradation `json:"degradations,omitempty"`
	Phases       []PhaseRun    `json:"phases,omitempty"`
	Quality      *Quality      `json:"quality,omitempty"`
	Packages     []string      `json:"packages,omitempty"`
	NeedsReview  []string      `json:"needs_review,omitempty"`
	Usage        Usage         `json:"usage"`
	Delivery     Delivery      `json:"delivery"`
	Answer       string        `json:"answer,omitempty"`
	Granted      []Grant       `json:"granted,omitempty"`      // approvals a person gave
	Budgets      int           `json:"budgets,omitempty"`      // token and cost budgets granted beyond the first
	TimeBudgets  int           `json:"time_budgets,omitempty"` // time budgets granted beyond the first
	SoftWarned   bool          `json:"soft_warned,omitempty"`
	HeldFor      time.Duration `json:"held_for,omitempty"`
	Revision     string        `json:"revision,omitempty"` // the person's text for a new plan
}

// Degraded reports whether a rule stood in for a model in a way that taints
// the result.
func (w *Work) Degraded() bool {
	for _, d := range w.Degradations {
		if d.Taints {
			return true
		}
	}
	return false
}

// PhaseRun is one phase that ran.
type PhaseRun struct {
	Name       Phase      `json:"name"`
	Status     string     `json:"status"` // done or failed
	DurationMS int64      `json:"duration_ms"`
	Usage      PhaseUsage `json:"usage"`
}

// PhaseUsage is the tokens that one phase used; input includes cached ones.
type PhaseUsage struct {
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
}

// Degradation records that something stood in for a model. Taints is false for
// a lesser loss, which is shown but does not keep a task from succeeding.
type Degradation struct {
	Agent   string `json:"agent"`
	Wanted  string `json:"wanted"`
	StoodIn string `json:"stood_in"`
	Why     string `json:"why"`
	Taints  bool   `json:"taints"`
}

// Denial is one act that a guard refused, reads included.
type Denial struct {
	Code  Code   `json:"code"`
	Path  string `json:"path"`
	Agent string `json:"agent"`
	Tool  string `json:"tool,omitempty"`
}

// Quality is the Coder's plain score of a generation, 0 to 100; see
// docs/quality-score.md for its formula.
type Quality struct {
	Score    int      `json:"score"`
	Warnings []string `json:"warnings"`
}

// Grant is an approval that a person gave: for a path, and for the content
// with that hash when the hash is not empty. It lapses when a byte changes.
type Grant struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256,omitempty"`
}

// Delivery is what git got.
type Delivery struct {
	Mode   DeliverMode `json:"mode"`
	Branch string      `json:"branch"`
	Commit string      `json:"commit"`
	Patch  string      `json:"patch"`
	URL    string      `json:"url"`
	Error  string      `json:"error"`
}
