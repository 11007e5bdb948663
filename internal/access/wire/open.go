package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/audit"
	"github.com/writ-dev/writ/internal/infra/config"
	"github.com/writ-dev/writ/internal/infra/eventbus"
	"github.com/writ-dev/writ/internal/infra/journal"
	"github.com/writ-dev/writ/internal/infra/redact"
	"github.com/writ-dev/writ/internal/infra/store"
	"github.com/writ-dev/writ/internal/supervisor"
	"github.com/writ-dev/writ/internal/tools/file"
	"github.com/writ-dev/writ/internal/tools/guard/syntax"
	"github.com/writ-dev/writ/internal/tools/registry"
	"github.com/writ-dev/writ/internal/tools/sandbox"
)

// App is the built program.
type App struct {
	Workspace  string
	Config     *config.Config
	Warnings   []string
	Store      *store.Store
	Bus        *eventbus.Bus
	Audit      *audit.Log
	Supervisor *supervisor.Supervisor

	syntax *syntax.Pool
}

// Open builds the program for one workspace. The caller closes it.
func Open(ctx context.Context, o Options) (*App, error) {
	cfg, warnings, err := LoadConfig(o)
	if err != nil {
		return nil, err
	}
	dir, err := o.stateDir()
	if err != nil {
		return nil, err
	}
	work := filepath.Join(dir, "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		return nil, &writ.Error{Code: writ.CodeConfig, Msg: "the state folder cannot be used: " + err.Error(), Hint: "name another one with --state-dir", Err: err}
	}
	st, err := store.Open(ctx, store.Options{Dir: dir, URL: cfg.Store.URL, Now: time.Now})
	if err != nil {
		return nil, err
	}
	red := redact.New(redact.Options{Env: o.Environ})
	bus := eventbus.New()
	a := &App{
		Workspace: o.Workspace, Config: cfg, Warnings: warnings, Store: st, Bus: bus,
		Audit: audit.New(st, audit.Options{Dir: dir}), syntax: syntax.New(syntax.Options{}),
	}
	a.Supervisor, err = a.supervisor(o, red, work)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// supervisor hands every part to the supervisor.
func (a *App) supervisor(o Options, red *redact.Redactor, work string) (*supervisor.Supervisor, error) {
	models, err := buildModels(o, a.Config)
	if err != nil {
		return nil, err
	}
	agents, err := buildAgents(a.Config)
	if err != nil {
		return nil, err
	}
	tools := registry.New(registry.Options{})
	all, err := file.Tools()
	if err != nil {
		return nil, fmt.Errorf("build the file tools: %w", err)
	}
	if err := tools.RegisterAll(all); err != nil {
		return nil, fmt.Errorf("register the file tools: %w", err)
	}
	return supervisor.New(supervisor.Deps{
		Store: a.Store, Journal: journal.New(a.Store, a.Bus, journal.Options{Redact: red.Bytes, Now: time.Now}), Audit: a.Audit,
		Router: models.router, Wanted: models.wanted, Tools: tools, Agents: agents, Syntax: a.syntax.Check,
		Sandbox: sandbox.New(sandbox.Options{Environ: o.Environ, Temp: work}), Redact: red, Config: a.Config,
		WorkDir: work, Version: o.Version, Now: time.Now, NewID: func() string { return ulid.Make().String() },
	})
}

// Close ends the worker process and closes the store. It may be called twice.
func (a *App) Close() error {
	a.syntax.Close()
	return a.Store.Close()
}

// Child runs this process as a child that Writ started, to parse or to confine
// something, and reports whether it was one.
func Child(args []string) bool {
	return syntax.Worker(args) || sandbox.Child(args)
}
