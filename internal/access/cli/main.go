package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
	"github.com/writ-dev/writ/internal/supervisor"
)

// Env is the world of one invocation; tests give their own.
type Env struct {
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Environ []string
	Dir     string // the current directory
	// Terminal reports whether a person sits at stdin and stderr.
	Terminal bool
	Version  string
}

// Main runs one command and returns the exit code of the process.
func Main(ctx context.Context, env Env) int {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, stop := cancelOnSignal(ctx)
	defer stop()
	g := &globals{env: env}
	root := newRoot(g)
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	return exitCode(env.Stderr, err)
}

// cancelOnSignal ends the context with ErrCancelled on SIGINT or SIGTERM. A
// second signal ends the process at once.
func cancelOnSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
			cancel(supervisor.ErrCancelled)
		case <-done:
			return
		}
		select {
		case <-signals:
			os.Exit(writ.ExitCancelled)
		case <-done:
		}
	}()
	return ctx, func() { signal.Stop(signals); close(done); cancel(nil) }
}

// exitError carries an exit code without a message: everything was said.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// exitCode prints an error as one line and returns its code.
func exitCode(stderr io.Writer, err error) int {
	if err == nil {
		return writ.ExitOK
	}
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	var e *writ.Error
	switch {
	case errors.As(err, &e):
		fmt.Fprintf(stderr, "writ: %s: %s\n", show.Line(err.Error()), show.Line(e.Advice()))
	case errors.Is(err, supervisor.ErrCancelled), errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "writ: cancelled: nothing half-done was left")
		return writ.ExitCancelled
	default:
		fmt.Fprintf(stderr, "writ: %s: %s\n", show.Line(err.Error()), writ.Lookup(writ.CodeOf(err)).Hint)
	}
	return writ.Lookup(writ.CodeOf(err)).Exit
}

// usageError is a wrong call.
func usageError(msg, hint string) error {
	return &writ.Error{Code: writ.CodeUsage, Msg: msg, Hint: hint}
}
