package syntax

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"

	"github.com/writ-dev/writ"
)

var (
	errDeadline  = errors.New("deadline exceeded")
	errClosed    = errors.New("pool is closed")
	errNoProgram = errors.New("no program to start")
)

// slots hand out a bounded number of workers. A slot is empty until its worker
// is first needed, and again after that worker died.
type slots struct {
	free    chan *process
	command func() *exec.Cmd

	mu     sync.Mutex
	closed bool
	live   map[*process]bool
}

func newSlots(n int, command func() *exec.Cmd) *slots {
	s := &slots{free: make(chan *process, n), command: command, live: map[*process]bool{}}
	for range n {
		s.free <- nil
	}
	return s
}

// ask waits for a slot, sends one request and gives the verdict. A worker that
// had served before and is found dead may have died of anything, so a new one
// is tried once; one that dies on its first file is not given it again.
func (s *slots) ask(ctx context.Context, timeout time.Duration, request ...[]byte) (writ.Syntax, error) {
	var p *process
	select {
	case <-ctx.Done():
		return writ.Syntax{}, ctx.Err()
	case p = <-s.free:
	}
	defer func() { s.free <- p }()
	for {
		fresh := p == nil
		if fresh {
			var err error
			if p, err = s.start(); err != nil {
				return writ.Syntax{}, err
			}
		}
		v, err := p.ask(ctx, timeout, fresh, request...)
		if err == nil {
			return v, nil
		}
		s.end(p)
		p = nil
		if s.isClosed() {
			return writ.Syntax{}, errClosed
		}
		if fresh || errors.Is(err, errDeadline) || ctx.Err() != nil {
			return writ.Syntax{}, err
		}
	}
}

func (s *slots) start() (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	cmd := s.command()
	if cmd == nil {
		return nil, errNoProgram
	}
	p, err := startProcess(cmd)
	if err != nil {
		return nil, errors.Join(errNoProgram, err)
	}
	s.live[p] = true
	return p, nil
}

func (s *slots) end(p *process) {
	p.kill()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, p)
}

func (s *slots) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *slots) close() {
	s.mu.Lock()
	s.closed = true
	live := make([]*process, 0, len(s.live))
	for p := range s.live {
		live = append(live, p)
	}
	clear(s.live)
	s.mu.Unlock()
	for _, p := range live {
		p.kill()
	}
}
