package writ

import "fmt"

// State is the place of a task in its only lifecycle. The zero value is not a
// state, so a forgotten field is found at the first transition.
type State string

// The six states. StateDone and StateCancelled are final.
const (
	StateIdle      State = "IDLE"
	StatePlan      State = "PLAN"
	StateExec      State = "EXEC"
	StateVerify    State = "VERIFY"
	StateDone      State = "DONE"
	StateCancelled State = "CANCELLED"
)

// Transitions is the whole lifecycle as data: the states that may follow each
// state, in the order in which they are documented. What is not here is an
// [IllegalTransitionError]. It returns a fresh map, so nobody can add an edge.
func Transitions() map[State][]State {
	return map[State][]State{
		StateIdle:      {StatePlan, StateCancelled},
		StatePlan:      {StateExec, StatePlan, StateCancelled},
		StateExec:      {StateVerify, StateCancelled},
		StateVerify:    {StateDone, StateExec, StateCancelled},
		StateDone:      {},
		StateCancelled: {},
	}
}

// States lists the six states in the order of the lifecycle.
func States() []State {
	return []State{StateIdle, StatePlan, StateExec, StateVerify, StateDone, StateCancelled}
}

// String returns the state as the contract writes it.
func (s State) String() string { return string(s) }

// Final reports whether nothing leaves the state.
func (s State) Final() bool { return s == StateDone || s == StateCancelled }

// IllegalTransitionError is the refusal of a transition that the lifecycle does
// not have. It changes neither state nor files.
type IllegalTransitionError struct {
	From, To State
}

// Error names both ends of the refused transition.
func (e *IllegalTransitionError) Error() string {
	return fmt.Sprintf("illegal transition from %s to %s", e.From, e.To)
}

// Phase labels what a task does inside a state. A task begins and ends idle.
type Phase string

// The nine phases.
const (
	PhaseIdle         Phase = "idle"
	PhasePlanning     Phase = "planning"
	PhaseArchitecting Phase = "architecting"
	PhaseCoding       Phase = "coding"
	PhaseScanning     Phase = "scanning"
	PhaseTesting      Phase = "testing"
	PhaseReviewing    Phase = "reviewing"
	PhaseFixing       Phase = "fixing"
	PhaseFinalizing   Phase = "finalizing"
)

// Phases lists the nine phases in the order in which a full pipeline meets them.
func Phases() []Phase {
	return []Phase{PhaseIdle, PhasePlanning, PhaseArchitecting, PhaseCoding, PhaseScanning,
		PhaseTesting, PhaseReviewing, PhaseFixing, PhaseFinalizing}
}

// String returns the label as the contract writes it.
func (p Phase) String() string { return string(p) }
