package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	writ "github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/sandbox/testcount"
	"github.com/writ-dev/writ/internal/tools/sandbox/tree"
)

// Options configure a Sandbox. The zero value works.
type Options struct {
	// Exe is the binary that is re-executed; its main must call [Child] first.
	// Empty is the running one.
	Exe string
	// Environ is where PATH and the declared variables come from; nil is the
	// process's own.
	Environ []string
	// Temp is where private folders are made; empty is the system's.
	Temp string
	// Backends, strongest first; nil is what this system offers.
	Backends []Backend
	// Now tells the time for durations; nil is time.Now.
	Now func() time.Time
}

// Sandbox runs declared commands. It is safe for concurrent use; jobs that
// share a Cache must not run at one time.
type Sandbox struct {
	opts   Options
	chosen func() choice
}

// choice is the outcome of the probes.
type choice struct {
	backend Backend
	uid     int
	why     string
}

// New returns a sandbox. Nothing is probed before the first use.
func New(opts Options) *Sandbox {
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	if opts.Temp == "" {
		opts.Temp = os.TempDir()
	}
	if opts.Exe == "" {
		// An empty path fails at the first use with a reason, as a wrong one does.
		opts.Exe, _ = os.Executable()
	}
	if opts.Backends == nil {
		opts.Backends = systemBackends(opts.Exe)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	s := &Sandbox{opts: opts}
	s.chosen = sync.OnceValue(s.choose)
	return s
}

// Level returns the level of this machine and, in words, what the walls are
// made of, what they leave open, and why no stronger ones are used. The first
// call runs the canaries, some tens of milliseconds each.
func (s *Sandbox) Level() (int, string) {
	c := s.chosen()
	if c.backend == nil {
		return 0, c.why
	}
	return c.backend.Level(), c.why
}

// Run runs the job's command and waits until no process of it lives. The error
// is not nil only where the caller's own files could not be handled or ctx
// ended; all else is told in the result.
func (s *Sandbox) Run(ctx context.Context, job Job) (Result, error) {
	job = job.withDefaults()
	res := Result{CommandResult: writ.CommandResult{Run: job.Command.Run}}
	c := s.chosen()
	if c.backend == nil {
		res.Unchecked = c.why
		return res, nil
	}
	level := c.backend.Level()
	res.SandboxLevel = level
	if level < job.Limits.MinLevel {
		res.Unchecked = fmt.Sprintf("the configuration demands sandbox level %d, this machine reaches %d (%s)", job.Limits.MinLevel, level, c.why)
		return res, nil
	}
	private, err := newPrivate(s.opts.Temp, job.Cache)
	if err != nil {
		return res, err
	}
	defer private.remove()
	spec, unchecked := s.spec(job, private, c)
	if unchecked != "" {
		res.Unchecked = unchecked
		return res, nil
	}
	before, err := tree.Take(ctx, job.Tree)
	if err != nil {
		return res, fmt.Errorf("look at the tree: %w", err)
	}
	if err := private.own(c.uid, job.Tree); err != nil {
		return res, err
	}
	s.execute(ctx, c.backend, spec, job, &res)
	if err := ctx.Err(); err != nil {
		return res, context.Cause(ctx)
	}
	after, err := tree.Take(ctx, job.Tree)
	if err != nil {
		return res, fmt.Errorf("look at the tree: %w", err)
	}
	res.Left = before.Compare(after, job.Planned...)
	return res, nil
}

// execute runs the spec and fills in what it showed.
func (s *Sandbox) execute(ctx context.Context, b Backend, spec Spec, job Job, res *Result) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	kept := newKeep(job.Limits.OutputBytes, func() { stop(errFlood) })
	counter := testcount.New(job.Command.Run)
	spec.Argv = counter.Argv()
	stdout, stderr, finish := counter.Pipe(kept)
	start := s.opts.Now()
	exit, err := b.Run(ctx, spec, stdout, stderr)
	finish()
	res.DurationMS = s.opts.Now().Sub(start).Milliseconds()
	res.ExitCode, res.TimedOut, res.Killed, res.Orphans = exit.Code, exit.TimedOut, exit.Killed, exit.Orphans
	res.Unchecked = exit.Unchecked
	if errors.Is(context.Cause(ctx), errFlood) {
		res.Killed = fmt.Sprintf("wrote more than %d MiB of output", kept.flood>>20)
		err = nil
	}
	if err != nil && res.Unchecked == "" {
		res.Unchecked = "the sandbox could not run it: " + err.Error()
	}
	res.Output = kept.String()
	res.Tests, res.Failures = counter.Result()
	if why := missingToolchain(job.Command.Run, res.Output); why != "" && exit.Code != 0 && res.Unchecked == "" {
		res.Unchecked = why
	}
	if res.ExitCode == 0 && (res.TimedOut || res.Killed != "" || res.Unchecked != "") {
		res.ExitCode = -1
	}
}

// spec turns a job into absolute paths; the second value says why that cannot
// be done here.
func (s *Sandbox) spec(job Job, p *private, c choice) (Spec, string) {
	if len(job.Command.Run) == 0 {
		return Spec{}, "the command is empty"
	}
	root, err := filepath.EvalSymlinks(job.Tree)
	if err != nil {
		return Spec{}, "the tree cannot be found: " + err.Error()
	}
	dir := root
	if d := job.Command.Dir; d != "" && d != "." {
		if !filepath.IsLocal(d) {
			return Spec{}, fmt.Sprintf("its folder %q leads out of the workspace", d)
		}
		dir, err = filepath.EvalSymlinks(filepath.Join(root, d))
		if err != nil || (dir != root && !strings.HasPrefix(dir, root+string(filepath.Separator))) {
			return Spec{}, fmt.Sprintf("its folder %q is not in the workspace", d)
		}
	}
	vars := environment(s.opts.Environ, job.Command, p, s.opts.Exe)
	path, ok := find(job.Command.Run[0], dir, vars.get("PATH"))
	if !ok {
		return Spec{}, fmt.Sprintf("%s is not installed", job.Command.Run[0])
	}
	return Spec{
		Level:     c.backend.Level(),
		Path:      path,
		Argv:      job.Command.Run,
		Dir:       dir,
		Env:       vars.list(),
		Read:      append(readable(path, vars, s.opts.Environ, s.opts.Exe), job.Read...),
		Write:     append([]string{root}, p.writable()...),
		Network:   job.Command.Network,
		Processes: job.Limits.Processes,
		Memory:    job.Limits.MemoryBytes,
		Timeout:   job.Command.Timeout,
		UID:       c.uid,
	}, ""
}

var errFlood = errors.New("too much output")

// missingToolchain recognises the one failure that says nothing about the
// tree's code: it demands a newer toolchain, and none may be fetched.
func missingToolchain(run []string, output string) string {
	if filepath.Base(run[0]) != "go" {
		return ""
	}
	for line := range strings.Lines(output) {
		if strings.Contains(line, "GOTOOLCHAIN=local") && strings.Contains(line, "requires go") {
			return "the toolchain is not here: " + strings.TrimSpace(strings.TrimPrefix(line, "go: "))
		}
	}
	return ""
}
