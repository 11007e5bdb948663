package router

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/writ-dev/writ"
)

// call is one call on its way through the chain.
type call struct {
	r       *Router
	hooks   Hooks
	req     writ.Request
	chain   []Target
	started time.Time

	attempts []Attempt
	said     bool     // text of a failed attempt was handed on
	whys     []string // why earlier targets did not answer
	last     *writ.ModelError
	cut      *Result // an answer that is kept in case nobody does better
}

// Call gets one answer. Errors are what Hooks.Before returned, an error that
// wraps the context's cause, or a *writ.ModelError once every target failed;
// the result then still lists the attempts.
func (r *Router) Call(ctx context.Context, c Call, hooks Hooks) (Result, error) {
	k := &call{r: r, hooks: hooks, req: *c.Request, started: r.opts.Now()}
	k.chain = r.opts.Chains(c.TaskType, c.Request.Agent)
	if len(k.chain) == 0 {
		return Result{}, &writ.ModelError{Kind: writ.ModelInvalid, Msg: fmt.Sprintf("no model is configured for %s in tasks of type %s", c.Request.Agent, c.TaskType)}
	}
	res, err := k.walk(ctx)
	res.Attempts = k.attempts
	return res, err
}

func (k *call) walk(ctx context.Context) (Result, error) {
	for i, t := range k.chain {
		resp, err := k.try(ctx, t, false)
		if err != nil {
			return Result{}, err
		}
		if resp == nil {
			continue
		}
		if why := lacking(resp); why != "" && i < len(k.chain)-1 {
			if k.cut == nil {
				kept := k.result(t, *resp)
				k.cut = &kept
			}
			k.miss(t, why)
			continue
		}
		return k.result(t, *resp), nil
	}
	if len(k.attempts) == 0 && k.last == nil {
		// Every breaker is open. One attempt at the first target: it may be back.
		resp, err := k.try(ctx, k.chain[0], true)
		if err != nil || resp != nil {
			return k.forced(resp), err
		}
	}
	if k.cut != nil {
		k.say(k.cut.Text)
		return *k.cut, nil
	}
	return Result{}, k.allFailed()
}

// forced is the result of the attempt that open breakers were passed for.
func (k *call) forced(resp *writ.Response) Result {
	if resp == nil {
		return Result{}
	}
	return Result{Response: *resp, Provider: k.chain[0].Provider.Name()}
}

// say hands on a kept answer in place of what a later target had streamed.
func (k *call) say(text string) {
	if k.said && k.hooks.Restart != nil {
		k.hooks.Restart()
	}
	if k.said && k.hooks.Text != nil && text != "" {
		k.hooks.Text(text)
	}
}

func (k *call) result(t Target, resp writ.Response) Result {
	res := Result{Response: resp, Provider: t.Provider.Name()}
	if res.Model == "" {
		res.Model = t.Model
	}
	if !same(t, k.chain[0]) {
		res.FallbackFrom, res.FallbackWhy = k.label(k.chain[0]), strings.Join(k.whys, "; ")
	}
	return res
}

// lacking says what keeps an answer from being whole, or nothing.
func lacking(resp *writ.Response) string {
	switch resp.Stop {
	case writ.StopLength:
		return "its answer was cut by the output limit"
	case writ.StopFilter:
		return "its answer was stopped by the provider's filter"
	case writ.StopEnd, writ.StopTools:
	}
	if strings.TrimSpace(resp.Text) == "" && len(resp.Calls) == 0 && len(resp.Rejected) == 0 {
		return "its answer was empty"
	}
	return ""
}

// try asks one target until it answers or no further attempt may help; then
// response and error are nil and the reason is noted.
func (k *call) try(ctx context.Context, t Target, force bool) (*writ.Response, error) {
	protocol := 0
	for n := 0; ; n++ {
		if ok, err := k.pause(ctx, t); err != nil || !ok {
			return nil, err
		}
		if !force {
			ok, change := k.r.states.allow(t, k.r.opts.Now())
			k.breaker(t, change)
			if !ok {
				k.miss(t, "its breaker is open")
				return nil, nil
			}
		}
		resp, merr, err := k.attempt(ctx, t)
		if err != nil {
			return nil, err
		}
		if merr == nil {
			return resp, nil
		}
		k.last = merr
		if merr.Kind == writ.ModelProtocol {
			protocol++
		}
		if force || n+1 >= k.r.opts.MaxAttempts || protocol > 1 || !again(merr) || k.r.states.open(t) || !k.backoff(ctx, merr, n) {
			k.miss(t, fmt.Sprintf("%v (%s)", merr, attemptsWord(n+1)))
			return nil, k.ended(ctx)
		}
	}
}

func attemptsWord(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

// miss notes why a target gave no answer.
func (k *call) miss(t Target, why string) {
	k.whys = append(k.whys, k.label(t)+": "+why)
}

// label names a target; the provider only where the model's name is not enough.
func (k *call) label(t Target) string {
	for _, other := range k.chain {
		if other.Model == t.Model && !same(other, t) {
			return t.Provider.Name() + "/" + t.Model
		}
	}
	return t.Model
}

// ended is the context's end as an error, or nil.
func (k *call) ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("call model: %w", context.Cause(ctx))
}

func (k *call) allFailed() error {
	last := k.last
	if last == nil {
		last = &writ.ModelError{Kind: writ.ModelOverload}
	}
	return &writ.ModelError{
		Kind: last.Kind, Status: last.Status, RetryAfter: last.RetryAfter, Partial: last.Partial, Err: last,
		Msg: "all models failed: " + strings.Join(k.whys, "; "),
	}
}

// attempt sends one request. err ends the call.
func (k *call) attempt(ctx context.Context, t Target) (*writ.Response, *writ.ModelError, error) {
	req := k.req
	req.Model = t.Model
	est := k.r.opts.Count.EstimateRequest(&req)
	if k.hooks.Before != nil {
		if err := k.hooks.Before(ctx, est); err != nil {
			k.breaker(t, k.r.states.settle(t, unclear, k.r.opts.Now()))
			return nil, nil, err
		}
	}
	if !same(t, k.chain[0]) && k.hooks.Fallback != nil && !k.asked(t) {
		k.hooks.Fallback(k.label(k.chain[0]), k.label(t), strings.Join(k.whys, "; "))
	}
	if k.said && k.hooks.Restart != nil {
		k.hooks.Restart()
	}
	k.said = false
	if k.hooks.Requested != nil {
		k.hooks.Requested(t.Model, t.Provider.Name(), len(k.attempts)+1, est)
	}
	a := Attempt{Provider: t.Provider.Name(), Model: t.Model, Started: k.r.opts.Now()}
	resp, merr := k.listen(ctx, t, &req, &a)
	k.settle(ctx, t, &req, resp, merr, a)
	if err := k.ended(ctx); err != nil {
		return nil, nil, err
	}
	return resp, merr, nil
}

// asked reports whether a target had an attempt in this call.
func (k *call) asked(t Target) bool {
	for _, a := range k.attempts {
		if a.Provider == t.Provider.Name() && a.Model == t.Model {
			return true
		}
	}
	return false
}

func same(a, b Target) bool { return a.Provider.Name() == b.Provider.Name() && a.Model == b.Model }

// listen plays one stream to its end.
func (k *call) listen(ctx context.Context, t Target, req *writ.Request, a *Attempt) (resp *writ.Response, merr *writ.ModelError) {
	for ev, err := range t.Provider.Stream(ctx, req) {
		switch {
		case err != nil:
			if !errors.As(err, &merr) {
				merr = &writ.ModelError{Kind: writ.ModelProtocol, Msg: err.Error(), Err: err}
			}
		case ev.Done != nil:
			resp = ev.Done
		}
		if a.FirstToken == 0 && (ev.Text != "" || ev.Reasoning != "") {
			a.FirstToken = k.r.opts.Now().Sub(a.Started)
		}
		if ev.Text != "" {
			k.said = true
			if k.hooks.Text != nil {
				k.hooks.Text(ev.Text)
			}
		}
	}
	if resp == nil && merr == nil {
		merr = &writ.ModelError{Kind: writ.ModelProtocol, Msg: "provider " + t.Provider.Name() + " ended its stream without an end"}
	}
	return resp, merr
}

// settle records an attempt: for the budget first, then for the breaker.
func (k *call) settle(ctx context.Context, t Target, req *writ.Request, resp *writ.Response, merr *writ.ModelError, a Attempt) {
	now := k.r.opts.Now()
	a.Duration = now.Sub(a.Started)
	a.Usage = writ.ModelUsage{Source: writ.UsageNone}
	switch {
	case merr != nil:
		a.Err, a.Status = merr, merr.Status
		if merr.Partial != nil {
			a.Usage = merr.Partial.Usage
		}
	default:
		a.Usage = resp.Usage
		k.r.learn(req, resp.Usage)
	}
	a.CostUSD = k.r.opts.Cost(t.Model, a.Usage)
	k.attempts = append(k.attempts, a)
	if k.hooks.Attempt != nil {
		k.hooks.Attempt(a)
	}
	v := verdictOf(merr)
	if ctx.Err() != nil {
		v = unclear
	}
	if merr != nil && merr.RetryAfter > 0 {
		k.r.states.hold(t, now.Add(merr.RetryAfter))
	}
	k.breaker(t, k.r.states.settle(t, v, now))
}

func (k *call) breaker(t Target, change string) {
	if change != "" && k.hooks.Breaker != nil {
		k.hooks.Breaker(t.Model, change)
	}
}
