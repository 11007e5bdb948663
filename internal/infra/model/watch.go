package model

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

var (
	errFirstByte = errors.New("no answer began in time")
	errIdle      = errors.New("the answer fell silent")
)

// watch cancels a call when one of its two clocks runs out. Only one runs at a
// time: the first until the headers are there, then the idle one, set back by
// every byte.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	timer   *time.Timer
	idle    time.Duration
	started bool
}

func newWatch(ctx context.Context, firstByte, idle time.Duration) *watch {
	w := &watch{idle: idle}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(firstByte, w.expire)
	return w
}

func (w *watch) expire() {
	w.mu.Lock()
	cause := errFirstByte
	if w.started {
		cause = errIdle
	}
	w.mu.Unlock()
	w.cancel(cause)
}

// alive tells that something arrived.
func (w *watch) alive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.started = true
	w.timer.Reset(w.idle)
}

func (w *watch) stop(cause error) {
	w.mu.Lock()
	w.timer.Stop()
	w.mu.Unlock()
	w.cancel(cause)
}

// watched sets the idle clock back with every read that brings bytes.
type watched struct {
	r io.Reader
	w *watch
}

func (r *watched) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if n > 0 {
		r.w.alive()
	}
	return n, err
}
