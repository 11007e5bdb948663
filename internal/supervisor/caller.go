package supervisor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/loop"
	"github.com/writ-dev/writ/internal/infra/model/router"
	"github.com/writ-dev/writ/internal/infra/store"
)

// caller is the governed way from an agent to a model: a journaled answer is
// replayed, else the budget is asked, the router called, each attempt settled
// and the answer journaled before it is used.
type caller struct{ run *run }

var _ loop.Caller = (*caller)(nil)

// Call makes one model call of an agent's round.
func (c *caller) Call(ctx context.Context, call loop.Call, onText func(string)) (writ.Response, error) {
	r := c.run
	sha, err := requestHash(call.Request)
	if err != nil {
		return writ.Response{}, err
	}
	key := fmt.Sprintf("model/%s/%s/%d/%d/%d", call.Agent, call.Step, r.task.Work.Round, call.Attempt, call.Round)
	if r.task.Work.Revision != "" {
		key += "/" + hashText(r.task.Work.Revision)
	}
	if known, err := r.ledger.Lookup(ctx, key); err != nil {
		return writ.Response{}, fmt.Errorf("look into the journal: %w", err)
	} else if known != nil && known.RequestSHA == sha && known.Error == "" {
		var resp writ.Response
		if err := json.Unmarshal(known.Response, &resp); err != nil {
			return writ.Response{}, fmt.Errorf("replay %s: %w", key, err)
		}
		return resp, nil
	}
	if r.s.d.Router == nil {
		return writ.Response{}, &writ.ModelError{Kind: writ.ModelAuth, Msg: "no model is configured"}
	}
	call.Request.Task = r.task.ID
	call.Request.Agent = call.Agent
	res, err := r.s.d.Router.Call(ctx, router.Call{TaskType: r.task.Type, Request: call.Request}, c.hooks(ctx, call, onText))
	if err != nil {
		return writ.Response{}, err
	}
	body, err := json.Marshal(res.Response)
	if err != nil {
		return writ.Response{}, fmt.Errorf("encode the answer: %w", err)
	}
	last := res.Attempts[len(res.Attempts)-1]
	r.ledger.Record(store.Call{
		TaskID: r.task.ID, Key: key, Kind: "model", Agent: call.Agent, Step: call.Step, Attempt: call.Attempt, Round: call.Round,
		RequestSHA: sha, Response: r.s.d.Redact.Bytes(body), Usage: res.Usage, CostUSD: last.CostUSD,
		DurationMS: last.Duration.Milliseconds(), At: last.Started,
	})
	if err := r.commit(ctx); err != nil {
		return writ.Response{}, err
	}
	return res.Response, nil
}

// hooks connect one call to budget, events and degradations.
func (c *caller) hooks(ctx context.Context, call loop.Call, onText func(string)) router.Hooks {
	r := c.run
	return router.Hooks{
		Before: r.meter.before,
		Requested: func(model, provider string, attempt int, est int64) {
			r.emit(writ.EventModelRequested, call.Agent, map[string]any{
				"model": model, "provider": provider, "attempt": attempt, "estimated_tokens": est, "step": call.Step, "round": call.Round,
			})
			if err := r.commit(ctx); err != nil {
				// The answer is journaled before it is used, so a store that fails
				// here ends the call there.
				return
			}
		},
		Text: func(text string) {
			if onText != nil {
				onText(text)
			}
			r.emit(writ.EventModelDelta, call.Agent, map[string]any{"text": text})
		},
		Attempt: func(a router.Attempt) {
			r.meter.settle(a)
			r.emit(writ.EventModelResponded, call.Agent, responded(a, call))
		},
		Fallback: func(from, to, why string) {
			r.emit(writ.EventModelFallback, call.Agent, map[string]any{"from": from, "to": to, "why": why})
			r.degrade(writ.Degradation{Agent: call.Agent, Wanted: from, StoodIn: to, Why: why})
		},
		Breaker: func(model, state string) {
			r.emit(writ.EventModelBreaker, call.Agent, map[string]any{"model": model, "state": state})
		},
	}
}

func responded(a router.Attempt, call loop.Call) map[string]any {
	data := map[string]any{
		"model": a.Model, "provider": a.Provider, "usage": a.Usage, "duration_ms": a.Duration.Milliseconds(),
		"first_token_ms": a.FirstToken.Milliseconds(), "step": call.Step, "round": call.Round, "cost_usd": a.CostUSD,
	}
	if a.Err != nil {
		data["error"] = map[string]any{"kind": a.Err.Kind, "status": a.Err.Status, "message": a.Err.Msg}
	}
	return data
}

// requestHash covers what decides an answer: model, messages, tools and
// sampling settings.
func requestHash(req *writ.Request) (string, error) {
	body, err := json.Marshal(req)
	if err != nil {
		return "", fmt.Errorf("encode the request: %w", err)
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]), nil
}

func hashText(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// modelFailed returns the model error in err's chain, or nil.
func modelFailed(err error) *writ.ModelError {
	var m *writ.ModelError
	if errors.As(err, &m) {
		return m
	}
	return nil
}
