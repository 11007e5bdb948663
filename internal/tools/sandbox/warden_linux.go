package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// statusFD is where a child tells its parent how it went.
	statusFD = 3
	// watchEvery is the interval at which processes and memory are counted.
	watchEvery = 100 * time.Millisecond
	// grace is how long a command that ran into its time limit may tidy up
	// after TERM.
	grace = 200 * time.Millisecond
)

// warden runs one command as its adoptive parent and returns when no process
// of it lives.
func warden() Exit {
	runtime.LockOSThread()
	unix.CloseOnExec(statusFD)
	// Orphans become children of the warden, however they detach.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return Exit{Unchecked: "the kernel cannot adopt orphans: " + err.Error()}
	}
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return Exit{Unchecked: "no order was given"}
	}
	var spec Spec
	if err := json.Unmarshal(line, &spec); err != nil {
		return Exit{Unchecked: "the order cannot be read: " + err.Error()}
	}
	leashCut := make(chan struct{})
	go func() {
		// Nothing more is ever sent: a return means that the other end closed.
		_, _ = io.Copy(io.Discard, in)
		close(leashCut)
	}()
	pid, refusal, err := startConfined(spec, line)
	if err != nil {
		return Exit{Unchecked: err.Error()}
	}
	return attend(spec, pid, refusal, leashCut)
}

// startConfined starts the stage that becomes the command. The channel yields
// what that stage says when it cannot, or the empty string once the command
// runs.
func startConfined(spec Spec, order []byte) (int, <-chan string, error) {
	orderR, orderW, err := os.Pipe()
	if err != nil {
		return 0, nil, fmt.Errorf("open a pipe: %w", err)
	}
	defer func() { _ = orderR.Close() }()
	refusalR, refusalW, err := os.Pipe()
	if err != nil {
		_ = orderW.Close()
		return 0, nil, fmt.Errorf("open a pipe: %w", err)
	}
	defer func() { _ = refusalW.Close() }()
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if spec.UID != 0 {
		attr.Credential = &syscall.Credential{Uid: uint32(spec.UID), Gid: uint32(spec.UID), Groups: []uint32{}}
		attr.AmbientCaps = []uintptr{unix.CAP_DAC_READ_SEARCH}
	}
	p, err := os.StartProcess("/proc/self/exe", []string{os.Args[0], childArg, "confine"}, &os.ProcAttr{
		Env: []string{}, Files: []*os.File{orderR, os.Stdout, os.Stderr, refusalW}, Sys: attr,
	})
	if err != nil {
		_ = orderW.Close()
		_ = refusalR.Close()
		return 0, nil, fmt.Errorf("start the command's process: %w", err)
	}
	pid := p.Pid
	_ = p.Release() // reaped with all the others
	go func() {
		_, _ = orderW.Write(order)
		_ = orderW.Close()
	}()
	refusal := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(refusalR, 4096))
		_ = refusalR.Close()
		refusal <- string(text)
	}()
	return pid, refusal, nil
}

// attend waits for the command's end or a reason to end it, then ends all that
// is left.
func attend(spec Spec, pid int, refusal <-chan string, leashCut <-chan struct{}) Exit {
	ended := make(chan unix.WaitStatus, 1)
	go reap(pid, ended)
	var exit Exit
	limit := time.NewTimer(spec.Timeout)
	defer limit.Stop()
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	var status unix.WaitStatus
	running := true
	for running {
		select {
		case status = <-ended:
			running = false
		case <-watch.C:
			if exit.Killed = overLimit(spec); exit.Killed != "" {
				endAll()
				status, running = <-ended, false
			}
		case <-limit.C:
			exit.TimedOut = true
			status, running = endGently(pid, ended), false
		case <-leashCut:
			exit.Killed = "cancelled"
			endAll()
			status, running = <-ended, false
		}
	}
	exit.Orphans = endAll()
	exit.Code = status.ExitStatus()
	if status.Signaled() {
		exit.Code = 128 + int(status.Signal())
	}
	if why := <-refusal; why != "" {
		exit.Unchecked = why
	}
	return exit
}

// endGently asks the command's session to end and ends it by force when the
// grace is over.
func endGently(pid int, ended <-chan unix.WaitStatus) unix.WaitStatus {
	_ = unix.Kill(-pid, unix.SIGTERM)
	select {
	case status := <-ended:
		return status
	case <-time.After(grace):
	}
	endAll()
	return <-ended
}

// reap collects every child, adopted ones too, and tells how the command
// itself ended.
func reap(pid int, ended chan<- unix.WaitStatus) {
	for {
		var status unix.WaitStatus
		got, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			// No child is left now; orphans may still come.
			time.Sleep(watchEvery / 10)
		case got == pid:
			ended <- status
		}
	}
}
