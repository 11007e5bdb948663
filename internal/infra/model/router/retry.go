package router

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
	"github.com/writ-dev/writ/internal/infra/model/count"
)

// The pause before attempt n+1 is drawn evenly from zero to base times 2^n, at
// most the cap.
const (
	jitterBase = 250 * time.Millisecond
	jitterCap  = 4 * time.Second
)

// again reports whether the same request may succeed at the same target.
func again(e *writ.ModelError) bool {
	// A prompt that a small window cut would be cut again.
	return e.Retryable() && !errors.Is(e, model.ErrPromptCut)
}

// verdictOf says what an error tells about the target's health. A pause that
// was asked for is no failure: the server works and said when to come back.
func verdictOf(e *writ.ModelError) verdict {
	if e == nil {
		return worked
	}
	switch e.Kind {
	case writ.ModelAuth, writ.ModelOverload, writ.ModelTransport, writ.ModelTruncated, writ.ModelProtocol, writ.ModelTimeout:
		return failed
	case writ.ModelRate, writ.ModelContext, writ.ModelInvalid:
		return unclear
	default:
		return unclear
	}
}

// backoff waits before the next attempt; false means that there is no time for
// one. What the server asked for is waited for in [call.pause], so that it
// binds the other calls to the target as well.
func (k *call) backoff(ctx context.Context, e *writ.ModelError, n int) bool {
	if e.RetryAfter > 0 {
		return k.fits(e.RetryAfter)
	}
	d := time.Duration(k.r.opts.Rand() * float64(min(jitterCap, jitterBase<<n)))
	if !k.fits(d) {
		return false
	}
	k.waiting(d, e.Error())
	return k.r.opts.Sleep(ctx, d) == nil
}

// fits reports whether a retry after d would begin in time.
func (k *call) fits(d time.Duration) bool {
	return k.r.opts.Now().Add(d).Sub(k.started) <= k.r.opts.MaxElapsed
}

func (k *call) waiting(d time.Duration, why string) {
	if k.hooks.Waiting != nil {
		k.hooks.Waiting(d, why)
	}
}

// pause waits until a target may be asked, as its server demanded of any call.
// false means that this takes longer than the call has.
func (k *call) pause(ctx context.Context, t Target) (bool, error) {
	for {
		if err := k.ended(ctx); err != nil {
			return false, err
		}
		d := k.r.states.held(t, k.r.opts.Now())
		if d == 0 {
			return true, nil
		}
		why := fmt.Sprintf("its server asked for a pause of %s more", d.Round(time.Millisecond))
		if !k.fits(d) {
			k.miss(t, why)
			k.last = &writ.ModelError{Kind: writ.ModelRate, Msg: why, RetryAfter: d}
			return false, nil
		}
		k.waiting(d, k.label(t)+": "+why)
		if err := k.r.opts.Sleep(ctx, d); err != nil {
			return false, fmt.Errorf("call model: %w", err)
		}
	}
}

// learn takes one answer's reported prompt tokens into the estimates.
func (r *Router) learn(req *writ.Request, u writ.ModelUsage) {
	if u.Source == writ.UsageReported {
		r.opts.Count.Observe(req.Model, count.EstimateRequest(req), u.Input)
	}
}
