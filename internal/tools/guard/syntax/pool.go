package syntax

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/writ-dev/writ"
)

// Options tune a Pool. The zero value works.
type Options struct {
	Exe      string        // the worker's binary; empty: this process's own
	Args     []string      // its arguments; empty: those that Worker knows
	Workers  int           // of each kind at most; 1
	Timeout  time.Duration // for one file; 5 s. A start may take as long again
	MaxBytes int64         // of one file; 1 MiB
	MaxDepth int           // of open brackets; 2,000
}

// Pool checks files, in the process or in workers that it starts when it first
// needs them. It is safe for concurrent use; Close ends it.
type Pool struct {
	options Options
	own     *slots
	python  *slots
}

// New returns a Pool. Nothing is started yet.
func New(o Options) *Pool {
	if o.Workers <= 0 {
		o.Workers = 1
	}
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1 << 20
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = 2000
	}
	if len(o.Args) == 0 {
		o.Args = []string{workerArg}
	}
	return &Pool{
		options: o,
		own:     newSlots(o.Workers, func() *exec.Cmd { return ownCommand(o) }),
		python:  newSlots(o.Workers, pythonCommand),
	}
}

// Close ends the workers and waits for them. Checks that still run, and later
// ones that need a worker, give unknown. A second call does nothing.
func (p *Pool) Close() {
	p.own.close()
	p.python.close()
}

// Check gives the verdict on one file. The path, slash-separated, tells its
// kind and is otherwise only repeated in the verdict. Where no verdict can be
// had, the file is unknown and the message says why.
func (p *Pool) Check(ctx context.Context, path string, content []byte) writ.Syntax {
	v := p.check(ctx, path, content)
	v.Path = path
	return v
}

func (p *Pool) check(ctx context.Context, path string, content []byte) writ.Syntax {
	kind := Kind(path)
	if kind == "" {
		return unknown("no checker for this kind of file")
	}
	if v, done := screen(kind, content, p.options.MaxBytes, p.options.MaxDepth); done {
		return withChecker(v, "writ")
	}
	switch kind {
	case kindGo, kindJSON, kindJSONC:
		return parse(path, content)
	case kindPython:
		v, err := p.python.ask(ctx, p.options.Timeout, content)
		if errors.Is(err, errNoProgram) {
			return unknown("no python3 on this machine")
		}
		return settle(v, err, "python3")
	}
	// A name may hold anything; the worker needs only what tells the kind.
	name := strings.Map(func(r rune) rune {
		if r == '\n' {
			return '_'
		}
		return r
	}, path)
	v, err := p.own.ask(ctx, p.options.Timeout, []byte(name), []byte("\n"), content)
	return settle(v, err, kind)
}

// settle turns a fault of a worker into a verdict that blames nobody.
func settle(v writ.Syntax, err error, checker string) writ.Syntax {
	switch {
	case err == nil:
		return v
	case errors.Is(err, errDeadline):
		return withChecker(unknown("the checker did not finish in time"), checker)
	case errors.Is(err, errClosed), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return withChecker(unknown("the check was cancelled"), checker)
	case errors.Is(err, errNoProgram):
		return withChecker(unknown("the checker cannot be started"), checker)
	}
	return withChecker(unknown("the checker died on this file"), checker)
}

// ownCommand starts this binary as a worker, with nothing of our environment.
func ownCommand(o Options) *exec.Cmd {
	exe := o.Exe
	if exe == "" {
		exe = selfPath()
	}
	if _, err := os.Stat(exe); exe == "" || err != nil {
		own, err := os.Executable()
		if err != nil {
			return nil
		}
		exe = own
	}
	cmd := exec.Command(exe, o.Args...)
	cmd.Env = []string{"GOMAXPROCS=2", "GOTRACEBACK=none", "GOGC=200"}
	if root := os.Getenv("SYSTEMROOT"); root != "" {
		cmd.Env = append(cmd.Env, "SYSTEMROOT="+root)
	}
	return cmd
}
