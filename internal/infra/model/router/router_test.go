package router_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
	"github.com/writ-dev/writ/internal/infra/model/router"
)

// fake is a provider whose answers a function gives, by the number of the
// attempt, from 0.
type fake struct {
	name   string
	answer func(ctx context.Context, n int, yield func(writ.ModelEvent, error) bool)

	mu sync.Mutex
	at []time.Time
}

func (f *fake) Name() string { return f.name }

func (f *fake) Stream(ctx context.Context, _ *writ.Request) iter.Seq2[writ.ModelEvent, error] {
	return func(yield func(writ.ModelEvent, error) bool) {
		f.mu.Lock()
		n := len(f.at)
		f.at = append(f.at, time.Now())
		f.mu.Unlock()
		f.answer(ctx, n, yield)
	}
}

func (f *fake) asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.at)
}

func says(text string) *writ.Response {
	return &writ.Response{Text: text, Stop: writ.StopEnd, Usage: writ.ModelUsage{Input: 10, Output: 2, Source: writ.UsageReported}}
}

// answering always gives the same answer.
func answering(name string, resp *writ.Response) *fake {
	return &fake{name: name, answer: func(_ context.Context, _ int, yield func(writ.ModelEvent, error) bool) {
		if resp.Text == "" || yield(writ.ModelEvent{Text: resp.Text}, nil) {
			yield(writ.ModelEvent{Done: resp}, nil)
		}
	}}
}

// failing fails the first n attempts, all where n is negative; then it answers.
func failing(name string, n int, e writ.ModelError) *fake {
	return &fake{name: name, answer: func(_ context.Context, i int, yield func(writ.ModelEvent, error) bool) {
		if n < 0 || i < n {
			again := e
			yield(writ.ModelEvent{}, &again)
			return
		}
		if yield(writ.ModelEvent{Text: "ok"}, nil) {
			yield(writ.ModelEvent{Done: says("ok")}, nil)
		}
	}}
}

// log records what the hooks are told.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *log) hooks() router.Hooks {
	return router.Hooks{
		Text:    func(s string) { l.add("text %s", s) },
		Restart: func() { l.add("restart") },
		Before:  func(context.Context, int64) error { return nil },
		Requested: func(model, provider string, n int, _ int64) {
			l.add("requested %s/%s %d", provider, model, n)
		},
		Attempt: func(a router.Attempt) {
			kind := "ok"
			if a.Err != nil {
				kind = string(a.Err.Kind)
			}
			l.add("attempt %s %s", a.Model, kind)
		},
		Fallback: func(from, to, _ string) { l.add("fallback %s %s", from, to) },
		Breaker:  func(model, state string) { l.add("breaker %s %s", model, state) },
	}
}

func newRouter(t *testing.T, change func(*router.Options), chain ...router.Target) *router.Router {
	t.Helper()
	opts := router.Options{
		Chains: func(writ.TaskType, string) []router.Target { return chain },
		Rand:   func() float64 { return 0.5 },
	}
	if change != nil {
		change(&opts)
	}
	r, err := router.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func to(p writ.Provider, model string) router.Target { return router.Target{Provider: p, Model: model} }

func call(t *testing.T, r *router.Router, h router.Hooks) (router.Result, error) {
	t.Helper()
	return r.Call(t.Context(), router.Call{TaskType: writ.TypeCoding, Request: &writ.Request{Agent: "coder", Messages: []writ.Message{{Content: "go"}}}}, h)
}

func TestRetryRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		err      writ.ModelError
		attempts int
	}{
		{"overload", writ.ModelError{Kind: writ.ModelOverload, Status: 500}, 4},
		{"transport", writ.ModelError{Kind: writ.ModelTransport}, 4},
		{"truncated", writ.ModelError{Kind: writ.ModelTruncated}, 4},
		{"timeout", writ.ModelError{Kind: writ.ModelTimeout}, 4},
		{"rate without a time", writ.ModelError{Kind: writ.ModelRate, Status: 429}, 4},
		{"a page instead of an answer, at most once again", writ.ModelError{Kind: writ.ModelProtocol}, 2},
		{"a key that is refused", writ.ModelError{Kind: writ.ModelAuth, Status: 401}, 1},
		{"a request that is wrong", writ.ModelError{Kind: writ.ModelInvalid, Status: 400}, 1},
		{"a request that is too long", writ.ModelError{Kind: writ.ModelContext, Status: 400}, 1},
		{"a prompt that the server cut", writ.ModelError{Kind: writ.ModelTruncated, Err: model.ErrPromptCut}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				bad, good := failing("p", -1, tt.err), answering("q", says("ok"))
				var l log
				begin := time.Now()
				res, err := call(t, newRouter(t, nil, to(bad, "a"), to(good, "b")), l.hooks())
				if err != nil || res.Text != "ok" || res.FallbackFrom != "a" || res.Provider != "q" || res.Model != "b" {
					t.Errorf("result %+v, %v; want the second model's answer", res, err)
				}
				if n := bad.asked(); n != tt.attempts {
					t.Errorf("the first model was asked %d times, want %d", n, tt.attempts)
				}
				if took := time.Since(begin); took > 5*time.Second {
					t.Errorf("it took %s", took)
				}
				if len(res.Attempts) != tt.attempts+1 {
					t.Errorf("%d attempts are told", len(res.Attempts))
				}

				alone := failing("p", -1, tt.err)
				_, err = call(t, newRouter(t, nil, to(alone, "a")), router.Hooks{})
				var merr *writ.ModelError
				if !errors.As(err, &merr) || merr.Kind != tt.err.Kind || !strings.Contains(merr.Msg, "all models failed: a: ") {
					t.Errorf("alone it ends with %v", err)
				}
			})
		})
	}
}

func TestEventsInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		halves := &fake{name: "p", answer: func(_ context.Context, n int, yield func(writ.ModelEvent, error) bool) {
			if !yield(writ.ModelEvent{Text: fmt.Sprintf("half%d", n)}, nil) {
				return
			}
			yield(writ.ModelEvent{}, &writ.ModelError{Kind: writ.ModelTransport, Msg: "reset"})
		}}
		var l log
		r := newRouter(t, func(o *router.Options) { o.MaxAttempts = 2 }, to(halves, "a"), to(answering("q", says("whole")), "b"))
		if _, err := call(t, r, l.hooks()); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"requested p/a 1", "text half0", "attempt a transport",
			"restart", "requested p/a 2", "text half1", "attempt a transport",
			"fallback a b", "restart", "requested q/b 3", "text whole", "attempt b ok",
		}
		if diff := cmp.Diff(want, l.lines); diff != "" {
			t.Errorf("hooks (-want +got):\n%s", diff)
		}
	})
}

func TestServerThatFailsForEverIsGivenUpSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bad := failing("p", -1, writ.ModelError{Kind: writ.ModelOverload, Status: 500})
		r := newRouter(t, func(o *router.Options) { o.Rand = func() float64 { return 0.999 } }, to(bad, "a"))
		begin := time.Now()
		for range 5 {
			if _, err := call(t, r, router.Hooks{}); err == nil {
				t.Fatal("no error")
			}
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("five calls took %s", took)
		}
		// Four, then the one that opens the breaker, then one for each call.
		if n := bad.asked(); n != 8 {
			t.Errorf("it was asked %d times, want 8", n)
		}
	})
}

func TestRetryAfterIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited := failing("p", 1, writ.ModelError{Kind: writ.ModelRate, Status: 429, RetryAfter: 3 * time.Second})
		r := newRouter(t, nil, to(limited, "a"))
		begin := time.Now()
		var waits []time.Duration
		if _, err := call(t, r, router.Hooks{Waiting: func(d time.Duration, _ string) { waits = append(waits, d) }}); err != nil {
			t.Fatal(err)
		}
		if got := limited.at[1].Sub(begin); got != 3*time.Second {
			t.Errorf("asked again after %s, want exactly 3s", got)
		}
		if diff := cmp.Diff([]time.Duration{3 * time.Second}, waits); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
	})
}

func TestRetryAfterHoldsBackOtherCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited := failing("p", 1, writ.ModelError{Kind: writ.ModelRate, Status: 429, RetryAfter: 3 * time.Second})
		other := answering("p", says("ok"))
		r := newRouter(t, nil, to(limited, "a"))
		begin := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := call(t, r, router.Hooks{}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait() // the first call was refused and waits
		for range 3 {
			wg.Go(func() {
				if _, err := call(t, r, router.Hooks{}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := limited.asked(); n != 5 {
			t.Errorf("%d requests, want one refused and one for each call", n)
		}
		for _, at := range limited.at[1:] {
			if at.Sub(begin) < 3*time.Second {
				t.Errorf("a request came after %s", at.Sub(begin))
			}
		}
		if other.asked() != 0 {
			t.Error("an unused provider was asked")
		}
	})
}

func TestLongRetryAfterMovesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited := failing("p", -1, writ.ModelError{Kind: writ.ModelRate, Status: 429, RetryAfter: time.Hour})
		r := newRouter(t, nil, to(limited, "a"), to(answering("q", says("ok")), "b"))
		begin := time.Now()
		for range 2 {
			if res, err := call(t, r, router.Hooks{}); err != nil || res.FallbackFrom != "a" {
				t.Errorf("result %+v, %v", res, err)
			}
		}
		if took := time.Since(begin); took > 0 || limited.asked() != 1 {
			t.Errorf("it took %s and %d requests, want none and 1", took, limited.asked())
		}
		_, err := call(t, newRouter(t, nil, to(failing("p", -1, writ.ModelError{Kind: writ.ModelRate, RetryAfter: time.Hour}), "a")), router.Hooks{})
		var merr *writ.ModelError
		if !errors.As(err, &merr) || merr.RetryAfter != time.Hour {
			t.Errorf("alone: %v, want an error that says when to come back", err)
		}
	})
}

func TestRetriesEndInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &fake{name: "p", answer: func(_ context.Context, _ int, yield func(writ.ModelEvent, error) bool) {
			time.Sleep(40 * time.Second) // the bubble's clock
			yield(writ.ModelEvent{}, &writ.ModelError{Kind: writ.ModelTimeout})
		}}
		begin := time.Now()
		_, err := call(t, newRouter(t, nil, to(slow, "a")), router.Hooks{})
		if err == nil || slow.asked() != 2 || time.Since(begin) > 90*time.Second {
			t.Errorf("%v after %d attempts and %s, want no retry to begin after a minute", err, slow.asked(), time.Since(begin))
		}
	})
}

func TestCancelEndsACallAtOnce(t *testing.T) {
	t.Parallel()
	reason := errors.New("a person pressed the key")
	hang := &fake{name: "p", answer: func(ctx context.Context, _ int, yield func(writ.ModelEvent, error) bool) {
		<-ctx.Done()
		yield(writ.ModelEvent{}, &writ.ModelError{Kind: writ.ModelTransport, Err: ctx.Err(), Partial: &writ.Response{Usage: writ.ModelUsage{Input: 5, Source: writ.UsageEstimated}}})
	}}
	for name, p := range map[string]*fake{
		"in an attempt":      hang,
		"in a pause":         failing("p", -1, writ.ModelError{Kind: writ.ModelRate, RetryAfter: 30 * time.Second}),
		"between the models": failing("p", -1, writ.ModelError{Kind: writ.ModelOverload}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				r := newRouter(t, func(o *router.Options) { o.Rand = func() float64 { return 0.9 } }, to(p, "a"), to(hang, "b"))
				done := make(chan error, 1)
				begin := time.Now()
				var settled int64
				go func() {
					_, err := r.Call(ctx, router.Call{Request: &writ.Request{}}, router.Hooks{Attempt: func(a router.Attempt) { settled += a.Usage.Input }})
					done <- err
				}()
				time.AfterFunc(100*time.Millisecond, func() { cancel(reason) })
				err := <-done
				var merr *writ.ModelError
				if !errors.Is(err, reason) || errors.As(err, &merr) {
					t.Errorf("got %v, want the cause and no model's fault", err)
				}
				if took := time.Since(begin); took != 100*time.Millisecond {
					t.Errorf("it ended after %s", took)
				}
				if p == hang && settled != 5 {
					t.Errorf("%d tokens were settled, want what had been used", settled)
				}
				for _, h := range r.Health() {
					if h.Failures > 3 {
						t.Errorf("a cancelled attempt counts as a failure: %+v", h)
					}
				}
			})
		})
	}
}

func TestBudgetRefusalEndsACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over := &writ.Error{Code: writ.CodeBudgetExceeded, Msg: "spent"}
		bad := failing("p", -1, writ.ModelError{Kind: writ.ModelOverload, Partial: &writ.Response{Usage: writ.ModelUsage{Input: 900, Source: writ.UsageEstimated}}})
		good := answering("q", says("ok"))
		var spent int64
		res, err := call(t, newRouter(t, nil, to(bad, "a"), to(good, "b")), router.Hooks{
			Before: func(_ context.Context, est int64) error {
				if est <= 0 {
					t.Error("no estimate")
				}
				if spent >= 1500 {
					return over
				}
				return nil
			},
			Attempt: func(a router.Attempt) { spent += a.Usage.Input },
		})
		if err != error(over) {
			t.Errorf("got %v, want the refusal as it is", err)
		}
		if bad.asked() != 2 || good.asked() != 0 || len(res.Attempts) != 2 {
			t.Errorf("%d and %d requests, %d attempts told", bad.asked(), good.asked(), len(res.Attempts))
		}
	})
}

func TestLackingAnswersAreTriedElsewhere(t *testing.T) {
	t.Parallel()
	cut := &writ.Response{Text: "half", Stop: writ.StopLength, Rejected: []writ.RejectedCall{{ID: "x", Name: "write_file"}}}
	for _, tt := range []struct {
		name        string
		first, last *writ.Response
		want, from  string
	}{
		{"cut, then whole", cut, says("whole"), "whole", "a"},
		{"filtered, then whole", &writ.Response{Text: "I won't", Stop: writ.StopFilter}, says("whole"), "whole", "a"},
		{"empty, then whole", &writ.Response{Stop: writ.StopEnd}, says("whole"), "whole", "a"},
		{"cut twice: the last is as good", cut, &writ.Response{Text: "other half", Stop: writ.StopLength}, "other half", "a"},
		{"malformed calls are told to the model that made them", &writ.Response{Stop: writ.StopTools, Rejected: []writ.RejectedCall{{ID: "x"}}}, says("whole"), "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				res, err := call(t, newRouter(t, nil, to(answering("p", tt.first), "a"), to(answering("p", tt.last), "b")), router.Hooks{})
				if err != nil || res.Text != tt.want || res.FallbackFrom != tt.from {
					t.Errorf("got %+v, %v", res, err)
				}
			})
		})
	}
	t.Run("cut, and nobody else answers", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var l log
			res, err := call(t, newRouter(t, nil, to(answering("p", cut), "a"), to(failing("q", -1, writ.ModelError{Kind: writ.ModelAuth}), "b")), l.hooks())
			if err != nil || res.Text != "half" || res.Stop != writ.StopLength || res.FallbackFrom != "" {
				t.Errorf("got %+v, %v; want the cut answer", res, err)
			}
		})
	})
	t.Run("alone", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			p := answering("p", cut)
			res, err := call(t, newRouter(t, nil, to(p, "a")), router.Hooks{})
			if err != nil || res.Stop != writ.StopLength || p.asked() != 1 {
				t.Errorf("got %+v, %v after %d requests", res, err, p.asked())
			}
		})
	})
}

func TestCostOfEveryAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bad := failing("p", 1, writ.ModelError{Kind: writ.ModelTruncated, Status: 200, Partial: &writ.Response{Usage: writ.ModelUsage{Input: 100, Output: 7, Source: writ.UsageEstimated}}})
		r := newRouter(t, func(o *router.Options) {
			o.Cost = func(_ string, u writ.ModelUsage) *float64 {
				usd := float64(u.Total())
				return &usd
			}
		}, to(bad, "a"))
		res, err := call(t, r, router.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		type line struct {
			Kind   writ.ModelErrorKind
			Status int
			Source writ.UsageSource
			Cost   float64
		}
		var got []line
		for _, a := range res.Attempts {
			l := line{Status: a.Status, Source: a.Usage.Source, Cost: *a.CostUSD}
			if a.Err != nil {
				l.Kind = a.Err.Kind
			}
			got = append(got, l)
		}
		want := []line{{writ.ModelTruncated, 200, writ.UsageEstimated, 107}, {"", 0, writ.UsageReported, 12}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
	})
}

func TestSameModelAtTwoProviders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		res, err := call(t, newRouter(t, nil, to(failing("p", -1, writ.ModelError{Kind: writ.ModelAuth}), "m"), to(answering("q", says("ok")), "m")), router.Hooks{})
		if err != nil || res.FallbackFrom != "p/m" || res.Provider != "q" {
			t.Errorf("got %+v, %v; want a fall-back from p/m", res, err)
		}
	})
}

func TestProviderThatBreaksItsPromise(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(context.Context, int, func(writ.ModelEvent, error) bool){
		"no end": func(context.Context, int, func(writ.ModelEvent, error) bool) {},
		"another type": func(_ context.Context, _ int, y func(writ.ModelEvent, error) bool) {
			y(writ.ModelEvent{}, errors.New("boom"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, err := call(t, newRouter(t, nil, to(&fake{name: "p", answer: answer}, "a")), router.Hooks{})
				var merr *writ.ModelError
				if !errors.As(err, &merr) || merr.Kind != writ.ModelProtocol {
					t.Errorf("got %v, want a protocol error", err)
				}
			})
		})
	}
}

func TestNoChain(t *testing.T) {
	t.Parallel()
	_, err := call(t, newRouter(t, nil), router.Hooks{})
	var merr *writ.ModelError
	if !errors.As(err, &merr) || !strings.Contains(merr.Msg, "coder") {
		t.Errorf("got %v, want an error that names the agent", err)
	}
	if _, err := router.New(router.Options{}); err == nil {
		t.Error("a router without chains was built")
	}
}
