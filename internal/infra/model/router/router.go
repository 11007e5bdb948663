package router

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model/count"
)

// The defaults of [Options].
const (
	DefaultMaxAttempts = 4
	DefaultMaxElapsed  = 60 * time.Second
)

// Target is one model at one provider.
type Target struct {
	Provider writ.Provider
	Model    string
}

// Options configure a router. Chains is required.
type Options struct {
	// Chains gives the targets of a call in fall-back order; the first is tried
	// first. It must be safe for concurrent use.
	Chains func(taskType writ.TaskType, agent string) []Target
	// MaxAttempts bounds the attempts at one target within one call; zero means
	// four.
	MaxAttempts int
	// MaxElapsed bounds a call's retries: none begins later than that after the
	// call did. Zero means a minute. The context bounds the attempts themselves.
	MaxElapsed time.Duration
	// Breaker settings; zero values mean five failures, a minute, 30 seconds.
	Breaker Breaker
	// Count estimates requests and learns from what servers report. Nil means a
	// new one.
	Count *count.Counter
	// Cost prices an attempt in USD, or gives nil where the price is unknown.
	// Nil prices nothing.
	Cost func(model string, u writ.ModelUsage) *float64
	// Now, Sleep and Rand (from 0 up to 1) are the clock, the wait and the dice.
	// Nil means the real ones. Sleep returns early with the context's error.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
	Rand  func() float64
}

// Call is one request for an answer. Request.Model is set by the router.
type Call struct {
	TaskType writ.TaskType
	Request  *writ.Request
}

// Hooks are told what happens while a call runs, in the goroutine of the call.
// Each may be nil.
type Hooks struct {
	// Text gets the answer piece by piece. Restart says that what came so far
	// belongs to a failed attempt and the text begins anew.
	Text    func(text string)
	Restart func()
	// Before is asked before each attempt. Its error ends the call at once and
	// is returned as it is.
	Before func(ctx context.Context, estTokens int64) error
	// Requested is told of each attempt right before it is sent; attempt counts
	// from 1 over the whole call.
	Requested func(model, provider string, attempt int, estTokens int64)
	// Attempt is told of each attempt once it ended, failed ones too.
	Attempt func(a Attempt)
	// Waiting says that the call waits, and why.
	Waiting func(d time.Duration, why string)
	// Fallback says that the call goes on with the next target.
	Fallback func(from, to, why string)
	// Breaker says that a target's breaker changed its state.
	Breaker func(model, state string)
}

// Attempt is one request that was sent. Usage of a failed one is estimated from
// what had arrived; its source is none where the server never began to answer.
// CostUSD is nil where the price is unknown.
type Attempt struct {
	Provider   string
	Model      string
	Status     int // HTTP, of a failed one
	Err        *writ.ModelError
	Usage      writ.ModelUsage
	CostUSD    *float64
	Started    time.Time
	Duration   time.Duration
	FirstToken time.Duration // zero where nothing came
}

// Result is an answer and how it came about. FallbackFrom is the model that
// was wanted, empty where it answered itself.
type Result struct {
	writ.Response
	Provider     string
	Attempts     []Attempt
	FallbackFrom string
	FallbackWhy  string
}

// Router chooses who answers. It is safe for concurrent use.
type Router struct {
	opts   Options
	states *states
}

// New validates the options and builds a router with closed breakers.
func New(opts Options) (*Router, error) {
	switch {
	case opts.Chains == nil:
		return nil, errors.New("router: Chains is nil")
	case opts.MaxAttempts < 0 || opts.MaxElapsed < 0:
		return nil, errors.New("router: MaxAttempts or MaxElapsed is negative")
	case opts.Breaker.Failures < 0 || opts.Breaker.Window < 0 || opts.Breaker.Cooldown < 0:
		return nil, errors.New("router: a breaker setting is negative")
	}
	if opts.MaxAttempts == 0 {
		opts.MaxAttempts = DefaultMaxAttempts
	}
	if opts.MaxElapsed == 0 {
		opts.MaxElapsed = DefaultMaxElapsed
	}
	opts.Breaker.fill()
	if opts.Count == nil {
		opts.Count = count.New()
	}
	if opts.Cost == nil {
		opts.Cost = func(string, writ.ModelUsage) *float64 { return nil }
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Sleep == nil {
		opts.Sleep = sleep
	}
	if opts.Rand == nil {
		opts.Rand = rand.Float64
	}
	return &Router{opts: opts, states: newStates(opts.Breaker)}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
