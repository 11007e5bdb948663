package writ

import "time"

// HoldKind says why a task waits for a person.
type HoldKind string

// The four kinds of hold.
const (
	HoldClarify  HoldKind = "clarify"
	HoldBudget   HoldKind = "budget"
	HoldApproval HoldKind = "approval"
	HoldCritical HoldKind = "critical"
)

// String returns the kind as the contract writes it.
func (k HoldKind) String() string { return string(k) }

// Hold is a question that a task waits on, inside its state. A hold that is
// not answered by its deadline never means yes.
type Hold struct {
	ID        string    `json:"hold_id"`
	TaskID    string    `json:"task_id"`
	Kind      HoldKind  `json:"kind"`
	Subject   string    `json:"subject"` // plan, a path, tokens, cost or time
	SHA256    string    `json:"sha256,omitempty"`
	Question  string    `json:"question"`
	Options   []string  `json:"options"` // the allowed answers; empty for free text
	Answer    string    `json:"answer,omitempty"`
	Method    string    `json:"method,omitempty"` // terminal, answer, yes, no_input or deadline
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
	ClosedAt  time.Time `json:"closed_at,omitzero"`
}

// Open reports whether the hold still waits for an answer.
func (h *Hold) Open() bool { return h.ClosedAt.IsZero() }
