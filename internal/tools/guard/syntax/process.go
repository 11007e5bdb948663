package syntax

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/writ-dev/writ"
)

// process is one worker. One request is in flight at a time.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	ended sync.Once
}

func startProcess(cmd *exec.Cmd) (*process, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = childAttr()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{cmd: cmd, in: in, out: bufio.NewReader(out)}, nil
}

// ask sends a request and waits for the answer, the deadline or the caller's
// end. After an error the process is of no more use and must be killed, which
// also ends the goroutine that waits for it here.
func (p *process) ask(ctx context.Context, timeout time.Duration, fresh bool, request ...[]byte) (writ.Syntax, error) {
	if fresh {
		timeout *= 2
	}
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	type answer struct {
		v   writ.Syntax
		err error
	}
	done := make(chan answer, 1)
	go func() {
		v, err := p.exchange(request)
		done <- answer{v, err}
	}()
	select {
	case a := <-done:
		return a.v, a.err
	case <-deadline.C:
		p.kill()
		<-done
		return writ.Syntax{}, errDeadline
	case <-ctx.Done():
		p.kill()
		<-done
		return writ.Syntax{}, ctx.Err()
	}
}

func (p *process) exchange(request [][]byte) (writ.Syntax, error) {
	if err := writeFrame(p.in, request...); err != nil {
		return writ.Syntax{}, err
	}
	payload, err := readFrame(p.out, maxReply)
	if err != nil {
		return writ.Syntax{}, err
	}
	return decodeReply(payload)
}

// kill ends the process and waits for it, which closes its pipes.
func (p *process) kill() {
	p.ended.Do(func() {
		_ = p.cmd.Process.Kill() // it may be dead already
		_ = p.in.Close()
		_ = p.cmd.Wait() // how it ended tells nothing
	})
}
