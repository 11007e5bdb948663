package writ

// Outcome is how a task ended, or that it needs a person.
type Outcome string

// The outcomes.
const (
	OutcomeSucceeded      Outcome = "succeeded"
	OutcomeFailed         Outcome = "failed"
	OutcomeCancelled      Outcome = "cancelled"
	OutcomeBudgetExceeded Outcome = "budget_exceeded"
	OutcomeNeedsInput     Outcome = "needs_input"
	OutcomeDegraded       Outcome = "degraded"
)

// String returns the outcome as the contract writes it.
func (o Outcome) String() string { return string(o) }

// ExitCode maps an outcome to the exit code of the process that ran the task.
func (o Outcome) ExitCode() int {
	switch o {
	case OutcomeSucceeded:
		return ExitOK
	case OutcomeFailed:
		return ExitFailed
	case OutcomeCancelled:
		return ExitCancelled
	case OutcomeBudgetExceeded:
		return ExitBudget
	case OutcomeNeedsInput:
		return ExitNeedsInput
	case OutcomeDegraded:
		return ExitDegraded
	default:
		return ExitInternal
	}
}

// ReasonCode says why a task did not simply succeed.
type ReasonCode string

// The reason codes.
const (
	ReasonUser                ReasonCode = "user"
	ReasonBudget              ReasonCode = "budget"
	ReasonVerifyExhausted     ReasonCode = "verify_exhausted"
	ReasonNoChanges           ReasonCode = "no_changes"
	ReasonDenied              ReasonCode = "denied"
	ReasonProviderUnavailable ReasonCode = "provider_unavailable"
	ReasonUnanswered          ReasonCode = "unanswered"
	ReasonStaleWorkspace      ReasonCode = "stale_workspace"
	ReasonTimeout             ReasonCode = "timeout"
	ReasonInternal            ReasonCode = "internal"
	ReasonRulesOnly           ReasonCode = "rules_only"
)

// Reason is the code, one readable line, and the phase in which it happened.
type Reason struct {
	Code    ReasonCode `json:"code"`
	Message string     `json:"message"`
	Phase   Phase      `json:"phase"`
}

// Report is what a task leaves behind: the last line of --json, the stored row
// and the answer over HTTP are this object. What it says about files comes
// from bytes on disk, never from what a model claimed.
type Report struct {
	Type         string        `json:"type"` // "task.report"
	TaskID       string        `json:"task_id"`
	TaskType     TaskType      `json:"task_type"`
	State        State         `json:"state"`
	Outcome      Outcome       `json:"outcome"`
	Reason       Reason        `json:"reason"`
	Degraded     bool          `json:"degraded"`
	Degradations []Degradation `json:"degradations"`
	Plan         Plan          `json:"plan"`
	Changes      []Change      `json:"changes"`
	Verification Verification  `json:"verification"`
	Denials      []Denial      `json:"denials"`
	Phases       []PhaseRun    `json:"phases"`
	Quality      *Quality      `json:"quality,omitempty"`
	Packages     []string      `json:"packages"`
	NeedsReview  []string      `json:"needs_review"`
	Usage        Usage         `json:"usage"`
	Delivery     Delivery      `json:"delivery"`
	Hold         *Hold         `json:"hold,omitempty"` // the open hold of a waiting task
	Answer       string        `json:"answer"`
	Prompt       string        `json:"prompt"`
	Workspace    string        `json:"workspace"`
	DurationMS   int64         `json:"duration_ms"`
}
