package supervisor

import (
	"context"
	"fmt"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model/router"
)

// meter is the budget of one task. Every attempt at a model call counts, also
// a failed one, with its input, cached input and output; a call that would
// start at or beyond the hard limit is not sent. Its methods take the run's
// lock.
type meter struct {
	run  *run
	over string // what ran out: tokens or cost
}

func (m *meter) subject() string { return m.over }

// before is asked before each attempt. est is the estimated size of the
// request in tokens.
func (m *meter) before(_ context.Context, est int64) error {
	r := m.run
	r.mu.Lock()
	defer r.mu.Unlock()
	l, u := r.task.Options.Limits, r.task.Work.Usage
	granted := int64(1 + r.task.Work.Budgets)
	if hard := l.HardTokens * granted; l.HardTokens > 0 && (u.Total() >= hard || est > hard) {
		return m.exceeded("tokens", fmt.Sprintf("%d of %d tokens are used", u.Total(), hard))
	}
	if limit := l.CostUSD * float64(granted); l.CostUSD > 0 && u.CostUSD != nil && *u.CostUSD >= limit {
		return m.exceeded("cost", fmt.Sprintf("$%.4f of $%.4f are spent", *u.CostUSD, limit))
	}
	return nil
}

func (m *meter) exceeded(what, msg string) error {
	m.over = what
	m.run.emit(writ.EventBudgetExceeded, "", map[string]any{"what": what, "message": msg, "usage": m.run.task.Work.Usage})
	return &writ.Error{Code: writ.CodeBudgetExceeded, Msg: msg}
}

// settle adds what one attempt used and warns once at the soft limit.
func (m *meter) settle(a router.Attempt) {
	r := m.run
	r.mu.Lock()
	defer r.mu.Unlock()
	r.task.Work.Usage.Add(a.Usage, a.CostUSD)
	l, u := r.task.Options.Limits, r.task.Work.Usage
	if l.SoftTokens > 0 && u.Total() >= l.SoftTokens && !r.task.Work.SoftWarned {
		r.task.Work.SoftWarned = true
		r.emit(writ.EventBudgetWarning, "", map[string]any{"what": "tokens", "used": u.Total(), "soft": l.SoftTokens, "hard": l.HardTokens})
	}
}
