package router

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Breaker settings: Failures in a row within Window open it, and after Cooldown
// one attempt may try whether the target is back.
type Breaker struct {
	Failures int
	Window   time.Duration
	Cooldown time.Duration
}

func (b *Breaker) fill() {
	if b.Failures == 0 {
		b.Failures = 5
	}
	if b.Window == 0 {
		b.Window = time.Minute
	}
	if b.Cooldown == 0 {
		b.Cooldown = 30 * time.Second
	}
}

// The states of a breaker, as events and health name them.
const (
	StateClosed   = "closed"
	StateOpen     = "open"
	StateHalfOpen = "half_open"
)

// Health is how a target stands that was asked at least once.
type Health struct {
	Provider  string    `json:"provider"`
	Model     string    `json:"model"`
	State     string    `json:"state"`
	Failures  int       `json:"failures"`
	HeldUntil time.Time `json:"held_until,omitzero"` // the server asked for a pause until then
}

// Health lists the targets that were asked so far, sorted by name.
func (r *Router) Health() []Health {
	return r.states.health(r.opts.Now())
}

// verdict is what an attempt says about its target.
type verdict int

const (
	worked verdict = iota
	failed
	unclear // the request's fault, or the caller's
)

// state is one target's breaker and the pause its server asked for.
type state struct {
	provider, model string
	name            string // StateClosed and so on
	failures        []time.Time
	opened          time.Time
	probing         bool
	heldUntil       time.Time
}

// states holds what concurrent calls know in common about the targets.
type states struct {
	settings Breaker

	mu  sync.Mutex
	all map[string]*state
}

func newStates(b Breaker) *states {
	return &states{settings: b, all: map[string]*state{}}
}

// of needs the lock.
func (s *states) of(t Target) *state {
	key := t.Provider.Name() + "\x00" + t.Model
	st := s.all[key]
	if st == nil {
		st = &state{provider: t.Provider.Name(), model: t.Model, name: StateClosed}
		s.all[key] = st
	}
	return st
}

// allow asks for one attempt. change is the breaker's new state, or empty.
func (s *states) allow(t Target, now time.Time) (ok bool, change string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.of(t)
	switch st.name {
	case StateOpen:
		if now.Sub(st.opened) < s.settings.Cooldown {
			return false, ""
		}
		st.name, st.probing = StateHalfOpen, true
		return true, StateHalfOpen
	case StateHalfOpen:
		if st.probing {
			return false, ""
		}
		st.probing = true
		return true, ""
	default:
		return true, ""
	}
}

// settle records what an attempt showed. change is the new state, or empty.
func (s *states) settle(t Target, v verdict, now time.Time) (change string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.of(t)
	st.probing = false
	switch v {
	case worked:
		st.failures = nil
		return st.become(StateClosed)
	case unclear:
		return ""
	case failed:
	}
	st.failures = slices.DeleteFunc(st.failures, func(at time.Time) bool { return now.Sub(at) >= s.settings.Window })
	st.failures = append(st.failures, now)
	if len(st.failures) > s.settings.Failures {
		st.failures = st.failures[1:]
	}
	if st.name == StateHalfOpen || len(st.failures) >= s.settings.Failures {
		st.opened = now
		return st.become(StateOpen)
	}
	return ""
}

// open reports whether a target's breaker is open.
func (s *states) open(t Target) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of(t).name == StateOpen
}

func (st *state) become(name string) string {
	if st.name == name {
		return ""
	}
	st.name = name
	return name
}

// hold keeps every call away from a target until then.
func (s *states) hold(t Target, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.of(t); until.After(st.heldUntil) {
		st.heldUntil = until
	}
}

// held returns how long a target is to be left alone.
func (s *states) held(t Target, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.of(t).heldUntil.Sub(now), 0)
}

func (s *states) health(now time.Time) []Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Health, 0, len(s.all))
	for _, st := range s.all {
		h := Health{Provider: st.provider, Model: st.model, State: st.name, Failures: len(st.failures)}
		if st.heldUntil.After(now) {
			h.HeldUntil = st.heldUntil
		}
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b Health) int {
		if c := strings.Compare(a.Provider, b.Provider); c != 0 {
			return c
		}
		return strings.Compare(a.Model, b.Model)
	})
	return all
}
