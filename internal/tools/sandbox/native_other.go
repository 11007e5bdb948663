//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// native runs commands at level 0 on systems without a warden.
type native struct{}

var _ Backend = (*native)(nil)

func systemBackends(string) []Backend { return []Backend{&native{}} }

// Level returns 0.
func (*native) Level() int { return 0 }

// Note names what is missing.
func (*native) Note() string {
	return "process group, time limit and environment only: on this system a command can read and write the person's files, reach the network, and leave processes that changed their group"
}

// Run starts the command in a group of its own and ends the group.
func (*native) Run(ctx context.Context, spec Spec, stdout, stderr io.Writer) (Exit, error) {
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, spec.Path)
	cmd.Args, cmd.Dir, cmd.Env = spec.Argv, spec.Dir, spec.Env
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	cmd.Cancel = func() error { return endGroup(cmd) }
	if err := cmd.Start(); err != nil {
		return Exit{Unchecked: fmt.Sprintf("%s cannot be started: %v", strings.Join(spec.Argv[:1], ""), err)}, nil
	}
	err := cmd.Wait()
	// What the command left in its group has no parent to miss it.
	_ = endGroup(cmd)
	exit := Exit{Code: cmd.ProcessState.ExitCode(), TimedOut: errors.Is(ctx.Err(), context.DeadlineExceeded)}
	if err != nil && exit.Code == 0 {
		exit.Code = -1
	}
	return exit, nil
}

// runCanary has nothing to prove at level 0.
func (s *Sandbox) runCanary(context.Context, Backend, int) error { return nil }
