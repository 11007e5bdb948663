package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

// childArg is the first argument by which the binary knows itself as a part of
// the sandbox.
const childArg = "__sandbox-exec"

// patience is how long the warden may take to end a tree after it was told to.
const patience = 10 * time.Second

// native runs commands under a warden at level 0 or 1.
type native struct {
	exe   string
	level int
}

var _ Backend = (*native)(nil)

func systemBackends(exe string) []Backend {
	return []Backend{&native{exe: exe, level: 1}, &native{exe: exe, level: 0}}
}

// Level returns 0 or 1.
func (n *native) Level() int { return n.level }

// Note names the walls.
func (n *native) Note() string {
	if n.level == 0 {
		return "own session, resource limits and environment only: a command can read and write the person's files and reach the network"
	}
	note := fmt.Sprintf("Landlock (ABI %d) and seccomp; network loopback cannot be told from the machine's own and reaches its servers", landlockABI())
	if landlockABI() < unixSocketABI {
		note += "; unix sockets are refused unless the network is full"
	}
	return note
}

// Run starts the warden and waits for it. The warden watches the pipe on its
// standard input: when it closes, because ctx ended or this process died, all
// that the command started is ended.
func (n *native) Run(ctx context.Context, spec Spec, stdout, stderr io.Writer) (Exit, error) {
	order, err := json.Marshal(spec)
	if err != nil {
		return Exit{}, fmt.Errorf("encode the order: %w", err)
	}
	statusR, statusW, err := os.Pipe()
	if err != nil {
		return Exit{}, fmt.Errorf("open a pipe: %w", err)
	}
	defer func() { _ = statusR.Close() }()
	leashR, leashW, err := os.Pipe()
	if err != nil {
		_ = statusW.Close()
		return Exit{}, fmt.Errorf("open a pipe: %w", err)
	}
	cmd := exec.Command(n.exe, childArg, "warden")
	cmd.Env = []string{} // nothing of ours is inherited
	cmd.Dir = "/"
	cmd.Stdin, cmd.Stdout, cmd.Stderr = leashR, stdout, stderr
	cmd.ExtraFiles = []*os.File{statusW}
	cmd.WaitDelay = patience
	cmd.SysProcAttr = wardenAttr()
	err = cmd.Start()
	_ = leashR.Close()
	_ = statusW.Close()
	if err != nil {
		_ = leashW.Close()
		return Exit{}, fmt.Errorf("start the warden: %w", err)
	}
	finished := make(chan struct{})
	released := make(chan struct{})
	go func() {
		defer close(released)
		leash(ctx, leashW, order, cmd, finished)
	}()
	status, readErr := io.ReadAll(io.LimitReader(statusR, 1<<20))
	waitErr := cmd.Wait()
	close(finished)
	<-released
	var exit Exit
	if err := json.Unmarshal(bytes.TrimSpace(status), &exit); err != nil {
		return Exit{}, fmt.Errorf("the warden ended without a word: %w", errors.Join(readErr, waitErr, err))
	}
	return exit, nil
}

// leash hands the order over, holds the pipe open until the run is over or ctx
// ends, and kills a warden that does not let go.
func leash(ctx context.Context, w *os.File, order []byte, cmd *exec.Cmd, finished <-chan struct{}) {
	// A warden that died already makes the write fail; its silence tells that.
	_, _ = w.Write(append(order, '\n'))
	select {
	case <-ctx.Done():
	case <-finished:
	}
	_ = w.Close()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-finished:
	case <-late.C:
		_ = cmd.Process.Kill()
		<-finished
	}
}

func wardenAttr() *unix.SysProcAttr { return &unix.SysProcAttr{Setsid: true} }
