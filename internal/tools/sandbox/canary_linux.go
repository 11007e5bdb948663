package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// lure is what the canary is told to try. It stands in the canary's arguments.
type lure struct {
	Secret  string // a file outside to read
	Outside string // a file outside to make
	TCP     string // an address of a listener of ours
	Unix    string // the path of a listener of ours
	PID     int    // a process outside
	Inside  string // a file in the tree to make, which must work
}

// canary tries the forbidden acts, from inside, and tells which succeeded.
func canary(args []string) []string {
	var l lure
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &l) != nil {
		return []string{"read its order"}
	}
	acts := []struct {
		name string
		do   func() error
	}{
		{"read a file outside", func() error { _, err := os.ReadFile(l.Secret); return err }},
		{"write a file outside", func() error { return os.WriteFile(l.Outside, []byte("x"), 0o600) }},
		{"link to a file outside", func() error { return os.Link(l.Secret, l.Inside+".link") }},
		{"reach a local port", func() error { return dial("tcp", l.TCP) }},
		{"reach a local socket", func() error { return dial("unix", l.Unix) }},
		{"read another process's environment", func() error { _, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", l.PID)); return err }},
		{"trace another process", func() error { return unix.PtraceAttach(l.PID) }},
		{"make a user namespace", func() error { return unix.Unshare(unix.CLONE_NEWUSER) }},
		{"mount", func() error { return unix.Mount("none", filepath.Dir(l.Inside), "tmpfs", 0, "") }},
	}
	done := []string{}
	for _, act := range acts {
		if act.do() == nil {
			done = append(done, act.name)
		}
	}
	if err := os.WriteFile(l.Inside, []byte("x"), 0o600); err != nil {
		done = append(done, "nothing at all: "+err.Error())
	}
	return done
}

func dial(network, address string) error {
	c, err := net.Dial(network, address)
	if err == nil {
		_ = c.Close()
	}
	return err
}

// runCanary starts the canary at a backend. At level 0 it only has to run; from
// level 1 on nothing forbidden may succeed, by its own word and by ours.
func (s *Sandbox) runCanary(ctx context.Context, b Backend, uid int) error {
	p, err := newPrivate(s.opts.Temp, "")
	if err != nil {
		return err
	}
	defer p.remove()
	outside, err := newPrivate(s.opts.Temp, "")
	if err != nil {
		return err
	}
	defer outside.remove()
	// The folder outside is open to the user that the command becomes: what
	// keeps it out must be the sandbox, not the folder's mode.
	if err := outside.own(uid, outside.root); err != nil {
		return err
	}
	l := lure{
		Secret: filepath.Join(outside.root, "secret"), Outside: filepath.Join(outside.root, "planted"),
		Unix: filepath.Join(outside.root, "s"), PID: os.Getpid(), Inside: filepath.Join(p.temp, "inside"),
	}
	if err := os.WriteFile(l.Secret, []byte("canary"), 0o644); err != nil {
		return err
	}
	reached, closeAll, err := l.listen()
	if err != nil {
		return err
	}
	defer closeAll()
	if err := p.own(uid, p.root); err != nil {
		return err
	}
	order, err := json.Marshal(l)
	if err != nil {
		return err
	}
	var out strings.Builder
	exit, err := b.Run(ctx, Spec{
		Level: b.Level(), Path: s.opts.Exe, Argv: []string{s.opts.Exe, childArg, "canary", string(order)}, Dir: p.temp,
		Env: []string{"TMPDIR=" + p.temp}, Read: append(systemPaths(), s.opts.Exe), Write: p.writable(), Network: NetworkNone,
		Processes: defaultProcesses, Memory: defaultMemory, Timeout: canaryTime, UID: uid,
	}, &out, io.Discard)
	switch {
	case err != nil:
		return err
	case exit.Unchecked != "":
		return errors.New(exit.Unchecked)
	case exit.Code != 0:
		return fmt.Errorf("the canary ended with %d", exit.Code)
	}
	return verdict(out.String(), b.Level(), l, reached)
}

// verdict compares what the canary tells with what is seen outside.
func verdict(report string, level int, l lure, reached func() bool) error {
	var done []string
	if err := json.Unmarshal([]byte(report), &done); err != nil {
		return fmt.Errorf("the canary's answer cannot be read: %w", err)
	}
	if i := slices.IndexFunc(done, func(s string) bool { return strings.HasPrefix(s, "nothing") }); i >= 0 {
		return errors.New("a command could do " + done[i])
	}
	if level == 0 {
		return nil
	}
	if _, err := os.Lstat(l.Outside); err == nil && !slices.Contains(done, "write a file outside") {
		done = append(done, "write a file outside")
	}
	if reached() {
		done = append(done, "reach a listener")
	}
	if len(done) > 0 {
		return fmt.Errorf("a command could still %s", strings.Join(done, ", "))
	}
	return nil
}

// listen opens the two listeners; reached reports whether anybody came.
func (l *lure) listen() (reached func() bool, closeAll func(), err error) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, fmt.Errorf("listen for the canary: %w", err)
	}
	// A socket's path may be longer than the kernel takes; then the act is
	// tried on a path that does not exist, and the family's refusal decides.
	local, localErr := net.Listen("unix", l.Unix)
	l.TCP = tcp.Addr().String()
	visits := make(chan struct{}, 16)
	waiting := 0
	for _, listener := range []net.Listener{tcp, local} {
		if listener == nil || (listener == local && localErr != nil) {
			continue
		}
		waiting++
		if u, ok := listener.(*net.UnixListener); ok {
			// Any user may knock, as with a socket of a daemon.
			_ = os.Chmod(u.Addr().String(), 0o777)
		}
		go func() {
			for {
				c, err := listener.Accept()
				if err != nil {
					return
				}
				_ = c.Close()
				select {
				case visits <- struct{}{}:
				default:
				}
			}
		}()
	}
	closeAll = func() {
		_ = tcp.Close()
		if localErr == nil {
			_ = local.Close()
		}
	}
	return func() bool { return len(visits) > 0 }, closeAll, nil
}
