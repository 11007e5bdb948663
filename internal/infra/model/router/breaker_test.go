package router_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model/router"
)

func overload() writ.ModelError { return writ.ModelError{Kind: writ.ModelOverload, Status: 503} }

func TestBreakerOpensAndCloses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		flaky := failing("p", 5, overload())
		steady := answering("q", says("ok"))
		r := newRouter(t, nil, to(flaky, "a"), to(steady, "b"))
		var l log
		hooks := router.Hooks{Breaker: func(model, state string) { l.add("%s %s", model, state) }, Fallback: func(from, to, why string) { l.add("%s to %s", from, to) }}
		asked := func(want int) {
			t.Helper()
			if res, err := call(t, r, hooks); err != nil || res.Text != "ok" {
				t.Fatalf("got %+v, %v", res, err)
			}
			if n := flaky.asked(); n != want {
				t.Errorf("the flaky model was asked %d times in all, want %d", n, want)
			}
		}
		asked(4) // its attempts of one call
		asked(5) // the fifth opens
		asked(5)
		time.Sleep(29 * time.Second) // the bubble's clock
		asked(5)
		time.Sleep(2 * time.Second)
		asked(6) // half open: one attempt, and it works
		asked(7)
		want := []string{"a to b", "a open", "a to b", "a to b", "a to b", "a half_open", "a closed"}
		if diff := cmp.Diff(want, l.lines); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		health := r.Health()
		if diff := cmp.Diff([]router.Health{{Provider: "p", Model: "a", State: router.StateClosed}, {Provider: "q", Model: "b", State: router.StateClosed}}, health); diff != "" {
			t.Errorf("health (-want +got):\n%s", diff)
		}
	})
}

func TestBreakerStaysOpenWhenTheProbeFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dead := failing("p", -1, overload())
		r := newRouter(t, func(o *router.Options) { o.Breaker = router.Breaker{Failures: 2, Cooldown: 10 * time.Second} }, to(dead, "a"), to(answering("q", says("ok")), "b"))
		for range 6 {
			if _, err := call(t, r, router.Hooks{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(5 * time.Second)
		}
		// Two open it; then at 10 s and at 20 s one probe each.
		if n := dead.asked(); n != 4 {
			t.Errorf("the dead model was asked %d times, want 4", n)
		}
	})
}

func TestBreakerForgetsOldFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		flaky := failing("p", -1, overload())
		r := newRouter(t, func(o *router.Options) { o.MaxAttempts = 1 }, to(flaky, "a"), to(answering("q", says("ok")), "b"))
		for range 12 {
			if _, err := call(t, r, router.Hooks{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Second)
		}
		if n := flaky.asked(); n != 12 {
			t.Errorf("asked %d times, want 12: three failures a minute open nothing", n)
		}
	})
}

func TestBreakerIgnoresTheRequestsFault(t *testing.T) {
	t.Parallel()
	for _, kind := range []writ.ModelErrorKind{writ.ModelInvalid, writ.ModelContext, writ.ModelRate} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := failing("p", -1, writ.ModelError{Kind: kind})
				r := newRouter(t, func(o *router.Options) { o.MaxAttempts = 1 }, to(p, "a"), to(answering("q", says("ok")), "b"))
				for range 10 {
					if _, err := call(t, r, router.Hooks{}); err != nil {
						t.Fatal(err)
					}
				}
				if n := p.asked(); n != 10 {
					t.Errorf("asked %d times, want 10", n)
				}
			})
		})
	}
}

func TestOpenBreakersLetTheFirstTryOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		back := failing("p", 5, overload())
		r := newRouter(t, nil, to(back, "a"))
		for range 2 {
			if _, err := call(t, r, router.Hooks{}); err == nil {
				t.Fatal("no error")
			}
		}
		res, err := call(t, r, router.Hooks{})
		if err != nil || res.Text != "ok" || res.Provider != "p" || res.FallbackFrom != "" {
			t.Errorf("got %+v, %v; want the answer of the model that is back", res, err)
		}
	})
}

func TestHalfOpenLetsOneThrough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := &fake{name: "p"}
		p.answer = func(_ context.Context, n int, yield func(writ.ModelEvent, error) bool) {
			if n < 5 {
				e := overload()
				yield(writ.ModelEvent{}, &e)
				return
			}
			<-release
			yield(writ.ModelEvent{Done: says("back")}, nil)
		}
		r := newRouter(t, nil, to(p, "a"), to(answering("q", says("ok")), "b"))
		for range 2 {
			if _, err := call(t, r, router.Hooks{}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(31 * time.Second)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := call(t, r, router.Hooks{}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if n := p.asked(); n != 6 {
			t.Errorf("%d requests reached a model that is half open, want one more than the 5 failures", n)
		}
		close(release)
		wg.Wait()
	})
}

func TestRefusedBudgetFreesTheProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := failing("p", 5, overload())
		r := newRouter(t, nil, to(p, "a"), to(answering("q", says("ok")), "b"))
		for range 2 {
			if _, err := call(t, r, router.Hooks{}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(31 * time.Second)
		over := &writ.Error{Code: writ.CodeBudgetExceeded}
		if _, err := call(t, r, router.Hooks{Before: func(context.Context, int64) error { return over }}); err != error(over) {
			t.Fatalf("got %v", err)
		}
		if res, err := call(t, r, router.Hooks{}); err != nil || res.Provider != "p" {
			t.Errorf("got %+v, %v; want the model that is back", res, err)
		}
	})
}
