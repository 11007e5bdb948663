package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/access/wire"
	"github.com/writ-dev/writ/internal/infra/show"
	"github.com/writ-dev/writ/internal/supervisor"
)

// holdPoll is how often a waiting run looks for an answer given elsewhere.
const holdPoll = 200 * time.Millisecond

// drive creates a task and stays with it until it ends, or waits where nobody
// may be asked.
func (g *globals) drive(ctx context.Context, app *wire.App, req supervisor.Request) (*writ.Report, error) {
	t, err := app.Supervisor.Create(ctx, req)
	if err != nil {
		return nil, err
	}
	return g.follow(ctx, app, t.ID, req.Options)
}

// follow drives an existing task and shows its events.
func (g *globals) follow(ctx context.Context, app *wire.App, taskID string, o writ.Options) (*writ.Report, error) {
	f := newFeed(app, taskID, g.renderer(o.Verbose))
	defer f.stop()
	for {
		report, err := app.Supervisor.Drive(ctx, taskID)
		if err != nil {
			return nil, err
		}
		if report.Hold == nil || o.NoInput || o.PlanOnly {
			f.finish(report)
			return report, nil
		}
		if err := g.waitForAnswer(ctx, app, report.Hold); err != nil {
			return nil, err
		}
	}
}

// waitForAnswer asks on a terminal, else waits until the hold is answered from
// elsewhere, its deadline is over, or the run is cancelled. In each case the
// next drive finds out what happened.
func (g *globals) waitForAnswer(ctx context.Context, app *wire.App, h *writ.Hold) error {
	if g.env.Terminal && !g.json {
		return g.askTerminal(ctx, app, h)
	}
	fmt.Fprintf(g.env.Stderr, "waiting (%s): %s\n  answer with: writ task answer %s %s\n", h.Kind, show.Line(h.Question), h.TaskID, strings.Join(h.Options, "|"))
	for {
		holds, err := app.Store.Holds(ctx, h.TaskID)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		for _, now := range holds {
			if now.ID == h.ID && !now.Open() {
				return nil
			}
		}
		if time.Now().After(h.ExpiresAt) {
			return nil
		}
		t, err := app.Store.Task(ctx, h.TaskID)
		if err != nil || t.State.Final() {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(holdPoll):
		}
	}
}

// askTerminal puts the question on the terminal until an allowed answer comes.
func (g *globals) askTerminal(ctx context.Context, app *wire.App, h *writ.Hold) error {
	lines := make(chan string)
	go func() {
		defer close(lines)
		in := bufio.NewScanner(g.env.Stdin)
		for in.Scan() {
			lines <- in.Text()
		}
	}()
	for {
		fmt.Fprintf(g.env.Stderr, "\n%s\n[%s] > ", show.Escape(h.Question), strings.Join(h.Options, " | "))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Until(h.ExpiresAt)):
			return nil
		case line, ok := <-lines:
			if !ok {
				return &writ.Error{Code: writ.CodeUsage, Msg: "the terminal is gone before the question was answered", Hint: "writ task answer " + h.TaskID + " ANSWER"}
			}
			_, err := app.Supervisor.Answer(ctx, h.TaskID, h.ID, line, "terminal")
			var e *writ.Error
			if errors.As(err, &e) && e.Code == writ.CodeUsage {
				fmt.Fprintf(g.env.Stderr, "%s: %s\n", show.Line(e.Error()), show.Line(e.Advice()))
				continue
			}
			return err
		}
	}
}

func writeReport(path string, r *writ.Report) error {
	body, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	if err := os.WriteFile(path, append(body, '\n'), 0o644); err != nil {
		return &writ.Error{Code: writ.CodeUsage, Msg: "the report cannot be written: " + err.Error(), Hint: "name a file in a folder that exists with -o"}
	}
	return nil
}
