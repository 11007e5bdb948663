package supervisor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// holdError ends a drive because the task waits for a person.
type holdError struct{ hold writ.Hold }

func (e *holdError) Error() string {
	return fmt.Sprintf("waiting for an answer (%s): %s", e.hold.Kind, e.hold.Question)
}

// The answers of the contract.
const (
	answerApprove  = "approve"
	answerReject   = "reject"
	answerRevise   = "revise:"
	answerContinue = "continue"
	answerStop     = "stop"
	answerAccept   = "accept"
)

// How a hold was closed, as the audit records it.
const (
	methodAnswer   = "answer"
	methodYes      = "yes"
	methodNoInput  = "no_input"
	methodDeadline = "deadline"
)

// question is what a phase wants to know.
type question struct {
	kind    writ.HoldKind
	subject string
	sha     string // of what is shown; the answer lapses when it changes
	text    string
	options []string
	onYes   string // what --yes answers
	onNone  string // what --no-input answers; empty leaves the task on its hold
}

// ask returns the answer to a question that was answered before, answers it as
// the options say, or opens a hold and returns a *holdError.
func (r *run) ask(ctx context.Context, q question) (writ.Hold, error) {
	holds, err := r.s.d.Store.Holds(ctx, r.task.ID)
	if err != nil {
		return writ.Hold{}, fmt.Errorf("read the holds: %w", err)
	}
	for _, h := range slices.Backward(holds) {
		if h.Kind == q.kind && h.Subject == q.subject && h.SHA256 == q.sha {
			if h.Open() {
				return h, &holdError{h}
			}
			return h, nil
		}
	}
	now := r.s.d.Now().UTC()
	h := writ.Hold{
		ID: "h_" + r.s.d.NewID(), TaskID: r.task.ID, Kind: q.kind, Subject: q.subject, SHA256: q.sha,
		Question: r.s.d.Redact.Text(q.text), Options: q.options, CreatedAt: now, ExpiresAt: now.Add(r.answerTime()),
	}
	switch {
	case r.task.Options.Yes && !r.task.Options.PlanOnly:
		h.Answer, h.Method, h.ClosedAt = q.onYes, methodYes, now
	case r.task.Options.NoInput && q.onNone != "":
		h.Answer, h.Method, h.ClosedAt = q.onNone, methodNoInput, now
	}
	r.emit(writ.EventTaskHold, "", holdData(h))
	if !h.Open() {
		r.emit(writ.EventTaskAnswered, "", map[string]any{"hold_id": h.ID, "answer": h.Answer, "method": h.Method})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.commitLocked(ctx, func(tx *store.Tx) error { return tx.PutHold(h) }); err != nil {
		return writ.Hold{}, err
	}
	if h.Open() {
		return h, &holdError{h}
	}
	return h, nil
}

// answerTime is how long a hold waits: short where a foreground run waits,
// long where the process ends and the task stays on its hold.
func (r *run) answerTime() time.Duration {
	if r.task.Options.NoInput || r.task.Options.PlanOnly {
		return 72 * time.Hour
	}
	return r.s.d.Config.Governance.AnswerTimeout.Std()
}

func holdData(h writ.Hold) map[string]any {
	return map[string]any{
		"hold_id": h.ID, "kind": h.Kind, "subject": h.Subject, "sha256": h.SHA256, "question": h.Question,
		"options": h.Options, "expires_at": h.ExpiresAt,
	}
}

// park leaves the task on its hold and returns the report as it now stands.
func (r *run) park(ctx context.Context) (*writ.Report, error) {
	r.closePhase("waiting")
	r.task.Outcome = writ.OutcomeNeedsInput
	if err := r.commit(ctx); err != nil {
		return nil, err
	}
	return r.s.Report(context.WithoutCancel(ctx), r.task.ID)
}

// expireHold ends the task where its open hold is past the deadline, and takes
// the waiting time of an answered one off the task's clock.
func (r *run) expireHold(ctx context.Context) error {
	if r.task.Outcome != writ.OutcomeNeedsInput || r.task.State.Final() {
		return nil
	}
	holds, err := r.s.d.Store.Holds(ctx, r.task.ID)
	if err != nil {
		return fmt.Errorf("read the holds: %w", err)
	}
	if len(holds) == 0 {
		return nil
	}
	h, now := holds[len(holds)-1], r.s.d.Now().UTC()
	if h.Open() && now.Before(h.ExpiresAt) {
		return nil
	}
	r.task.Outcome = ""
	if !h.Open() {
		r.task.Work.HeldFor += max(0, now.Sub(h.CreatedAt))
		return nil
	}
	h.Method, h.ClosedAt = methodDeadline, now
	r.emit(writ.EventTaskAnswered, "", map[string]any{"hold_id": h.ID, "answer": "", "method": h.Method})
	next, err := r.unanswered(h)
	if err != nil {
		return err
	}
	r.task.Work.Next = next
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.commitLocked(ctx, func(tx *store.Tx) error { return tx.PutHold(h) })
}

func (r *run) unanswered(h writ.Hold) (string, error) {
	msg := "nobody answered the " + h.Kind.String() + " hold in time"
	if h.Kind == writ.HoldBudget {
		return r.finish(writ.OutcomeBudgetExceeded, writ.ReasonBudget, msg)
	}
	return r.finish(writ.OutcomeNeedsInput, writ.ReasonUnanswered, msg)
}

// overBudget asks whether the task may go on beyond its budget.
func (r *run) overBudget(ctx context.Context, subject, msg string) (string, error) {
	n := r.task.Work.Budgets + r.task.Work.TimeBudgets
	if subject == "" {
		subject = "tokens"
	}
	h, err := r.ask(ctx, question{
		kind: writ.HoldBudget, subject: fmt.Sprintf("%s#%d", subject, n), text: oneLine(msg) + "; go on with one more budget of the same size?",
		options: []string{answerContinue, answerStop}, onYes: answerStop, onNone: answerStop,
	})
	if err != nil {
		return r.waitOr(err)
	}
	if h.Answer != answerContinue {
		return r.finish(writ.OutcomeBudgetExceeded, writ.ReasonBudget, msg)
	}
	if subject == "time" {
		r.task.Work.TimeBudgets++
	} else {
		r.task.Work.Budgets++
	}
	return r.task.Work.Next, nil
}

// waitOr turns a hold into the waiting pseudo-phase.
func (r *run) waitOr(err error) (string, error) {
	if _, ok := err.(*holdError); ok {
		return waiting, nil
	}
	return "", err
}

// Answer closes an open hold of the task. Without holdID it is the open one.
// An answer that is none of the allowed ones is a usage error and changes
// nothing; a task that ended, or a hold that is closed, is STATE_ILLEGAL.
func (s *Supervisor) Answer(ctx context.Context, taskID, holdID, answer, method string) (writ.Hold, error) {
	t, err := s.d.Store.Task(ctx, taskID)
	if err != nil {
		return writ.Hold{}, err
	}
	holds, err := s.d.Store.Holds(ctx, t.ID)
	if err != nil {
		return writ.Hold{}, fmt.Errorf("read the holds: %w", err)
	}
	var open *writ.Hold
	for i := range holds {
		if holds[i].Open() && (holdID == "" || holds[i].ID == holdID) {
			open = &holds[i]
		}
	}
	now := s.d.Now().UTC()
	if t.State.Final() || open == nil || now.After(open.ExpiresAt) {
		return writ.Hold{}, &writ.Error{Code: writ.CodeStateIllegal, Msg: "task " + t.ID + " waits for no answer", Hint: "writ task show " + t.ID + " tells where it stands"}
	}
	if open.Answer, err = allowed(*open, answer); err != nil {
		return writ.Hold{}, err
	}
	open.Answer = s.d.Redact.Text(open.Answer)
	open.Method, open.ClosedAt = method, now
	ledger := s.d.Journal.Task(t.ID)
	ledger.Emit(writ.EventTaskAnswered, "", map[string]any{"hold_id": open.ID, "answer": open.Answer, "method": method})
	if err := ledger.Commit(ctx, func(tx *store.Tx) error { return tx.PutHold(*open) }); err != nil {
		return writ.Hold{}, fmt.Errorf("record the answer: %w", err)
	}
	return *open, nil
}

// allowed checks an answer against the hold's options. Free text is allowed
// where there are none; for a plan also "revise: TEXT".
func allowed(h writ.Hold, answer string) (string, error) {
	answer = strings.TrimSpace(answer)
	if answer == "" {
		return "", &writ.Error{Code: writ.CodeUsage, Msg: "the answer is empty", Hint: "answer " + strings.Join(h.Options, " or ")}
	}
	if h.Kind == writ.HoldClarify {
		return answer, nil
	}
	if h.Subject == subjectPlan {
		if text, ok := strings.CutPrefix(answer, answerRevise); ok && strings.TrimSpace(text) != "" {
			return answer, nil
		}
	}
	for _, o := range h.Options {
		if strings.EqualFold(o, answer) {
			return o, nil
		}
	}
	return "", &writ.Error{Code: writ.CodeUsage, Msg: fmt.Sprintf("%q is not an answer to this hold", answer), Hint: "answer " + strings.Join(h.Options, " or ")}
}
