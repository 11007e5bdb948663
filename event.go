package writ

import (
	"encoding/json"
	"time"
)

// EventType names what happened; the set is closed and stands in the contract.
type EventType string

// The event types, in the order in which a task meets them.
const (
	EventTaskCreated      EventType = "task.created"
	EventTaskStarted      EventType = "task.started"
	EventTaskStateChanged EventType = "task.state_changed"
	EventTaskHold         EventType = "task.hold"
	EventTaskAnswered     EventType = "task.answered"
	EventTaskReport       EventType = "task.report"
	EventIntentDetected   EventType = "intent.detected"
	EventPlanProposed     EventType = "plan.proposed"
	EventPlanAccepted     EventType = "plan.accepted"
	EventLockSet          EventType = "lock.set"
	EventLockExtended     EventType = "lock.extended"
	EventLockReleased     EventType = "lock.released"
	EventPhaseStarted     EventType = "phase.started"
	EventPhaseFinished    EventType = "phase.finished"
	EventAgentRegistered  EventType = "agent.registered"
	EventAgentStarted     EventType = "agent.started"
	EventAgentFinished    EventType = "agent.finished"
	EventAgentRetried     EventType = "agent.retried"
	EventModelRequested   EventType = "model.requested"
	EventModelDelta       EventType = "model.delta" // live only, never stored
	EventModelResponded   EventType = "model.responded"
	EventModelFallback    EventType = "model.fallback"
	EventModelBreaker     EventType = "model.breaker"
	EventToolCalled       EventType = "tool.called"
	EventToolFinished     EventType = "tool.finished"
	EventGuardDenied      EventType = "guard.denied"
	EventChangeStaged     EventType = "change.staged"
	EventChangeRejected   EventType = "change.rejected"
	EventChangeApplied    EventType = "change.applied"
	EventChangeUndone     EventType = "change.undone"
	EventVerifyStarted    EventType = "verify.started"
	EventVerifyCheck      EventType = "verify.check"
	EventVerifyFinished   EventType = "verify.finished"
	EventScanFinding      EventType = "scan.finding"
	EventBudgetWarning    EventType = "budget.warning"
	EventBudgetExceeded   EventType = "budget.exceeded"
	EventDegraded         EventType = "degraded"
	EventMemoryStored     EventType = "memory.stored"
	EventError            EventType = "error"
)

// String returns the type as the contract writes it.
func (t EventType) String() string { return string(t) }

// Stored reports whether events of the type are kept; the others are live only.
func (t EventType) Stored() bool { return t != EventModelDelta }

// Event is the one envelope in which everything that happens is told: on
// stdout, over HTTP, on the WebSocket and in the audit. Seq grows by one
// within a task, from 1; a live-only event has Seq 0. Data is redacted before
// the event exists outside the process's memory.
type Event struct {
	Seq    int64           `json:"seq"`
	Time   time.Time       `json:"time"`
	TaskID string          `json:"task_id"`
	Type   EventType       `json:"type"`
	Agent  string          `json:"agent"`
	Data   json.RawMessage `json:"data"`
}
