package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/access/wire"
	"github.com/writ-dev/writ/internal/infra/show"
	"github.com/writ-dev/writ/internal/infra/store"
)

func newTask(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "task",
		Short: "List, show, answer, cancel and resume tasks",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTaskList(g), newTaskShow(g), newTaskEvents(g), newTaskAnswer(g), newTaskCancel(g), newTaskResume(g))
	return cmd
}

// withApp opens the program for one command and closes it after.
func (g *globals) withApp(ctx context.Context, fn func(*wire.App) error) error {
	opts, err := g.options()
	if err != nil {
		return err
	}
	app, err := wire.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer app.Close()
	return fn(app)
}

// taskRow is one line of a listing.
type taskRow struct {
	TaskID    string        `json:"task_id"`
	TaskType  writ.TaskType `json:"task_type"`
	State     writ.State    `json:"state"`
	Outcome   writ.Outcome  `json:"outcome"`
	Hold      writ.HoldKind `json:"hold"`
	CreatedAt time.Time     `json:"created_at"`
	Prompt    string        `json:"prompt"`
	Workspace string        `json:"workspace"`
}

func newTaskList(g *globals) *cobra.Command {
	var limit int
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List tasks of this workspace, newest first",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.withApp(cmd.Context(), func(app *wire.App) error { return g.listTasks(cmd.Context(), app, all, limit) })
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "how many at the most")
	cmd.Flags().BoolVar(&all, "all", false, "tasks of every workspace")
	return cmd
}

func (g *globals) listTasks(ctx context.Context, app *wire.App, all bool, limit int) error {
	filter := store.TaskFilter{Workspace: app.Workspace, Limit: limit}
	if all {
		filter.Workspace = ""
	}
	tasks, err := app.Store.Tasks(ctx, filter)
	if err != nil {
		return err
	}
	for _, t := range tasks {
		row := taskRow{
			TaskID: t.ID, TaskType: t.Type, State: t.State, Outcome: t.Outcome, CreatedAt: t.CreatedAt,
			Prompt: t.Prompt, Workspace: t.Workspace,
		}
		if !t.State.Final() {
			report, err := app.Supervisor.Report(ctx, t.ID)
			if err != nil {
				return err
			}
			if report.Hold != nil {
				row.Hold = report.Hold.Kind
			}
		}
		if err := g.printTask(row); err != nil {
			return err
		}
	}
	return nil
}

func (g *globals) printTask(row taskRow) error {
	if g.json {
		return g.printJSON(row)
	}
	status := row.Outcome.String()
	if row.Hold != "" {
		status = "waits: " + row.Hold.String()
	}
	_, err := fmt.Fprintf(g.env.Stdout, "%s  %-9s  %-16s  %s  %s\n", row.TaskID, row.State, status,
		row.CreatedAt.Local().Format("2006-01-02 15:04"), show.Line(cut(row.Prompt, 60)))
	return err
}

// oneTask takes exactly the task's id.
func oneTask(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError(cmd.CommandPath()+" takes one task", "writ task list shows them")
	}
	return nil
}

func newTaskShow(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "show TASK",
		Short: "Show a task's report as it now stands",
		Args:  oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withApp(cmd.Context(), func(app *wire.App) error {
				r, err := app.Supervisor.Report(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if g.json {
					return g.printJSON(r)
				}
				printSummary(g.env.Stdout, r, g.color())
				return nil
			})
		},
	}
}

func newTaskEvents(g *globals) *cobra.Command {
	var after int64
	var follow bool
	cmd := &cobra.Command{
		Use:   "events TASK",
		Short: "Print a task's stored events, oldest first",
		Args:  oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withApp(cmd.Context(), func(app *wire.App) error {
				return g.printEvents(cmd.Context(), app, args[0], after, follow)
			})
		},
	}
	cmd.Flags().Int64Var(&after, "after", 0, "only events behind this number")
	cmd.Flags().BoolVar(&follow, "follow", false, "go on until the task ends")
	return cmd
}

func (g *globals) printEvents(ctx context.Context, app *wire.App, id string, after int64, follow bool) error {
	t, err := app.Store.Task(ctx, id)
	if err != nil {
		return err
	}
	for {
		events, err := app.Store.Events(ctx, t.ID, after, 500)
		if err != nil {
			return err
		}
		for _, e := range events {
			after = e.Seq
			if err := g.printEvent(e); err != nil {
				return err
			}
			if e.Type == writ.EventTaskReport {
				follow = false
			}
		}
		switch {
		case len(events) == 500:
			continue
		case !follow:
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(holdPoll):
		}
	}
}

func (g *globals) printEvent(e writ.Event) error {
	if g.json {
		return g.printJSON(e)
	}
	_, err := fmt.Fprintf(g.env.Stdout, "%5d  %s  %-20s %-10s %s\n", e.Seq, e.Time.Local().Format("15:04:05.000"), e.Type, show.Line(e.Agent), show.Line(cut(string(e.Data), 160)))
	return err
}

func newTaskAnswer(g *globals) *cobra.Command {
	var hold string
	cmd := &cobra.Command{
		Use:   "answer TASK ANSWER",
		Short: "Answer the question that a task waits on",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError("task answer takes a task and an answer", "writ task show TASK prints the question")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withApp(cmd.Context(), func(app *wire.App) error {
				h, err := app.Supervisor.Answer(cmd.Context(), args[0], hold, args[1], "answer")
				if err != nil {
					return err
				}
				if g.json {
					return g.printJSON(h)
				}
				if app.Supervisor.Live(h.TaskID) {
					fmt.Fprintf(g.env.Stdout, "answered; the task goes on where it waits\n")
				} else {
					fmt.Fprintf(g.env.Stdout, "answered; go on with: writ task resume %s\n", h.TaskID)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&hold, "hold", "", "the hold, where it is not the open one")
	return cmd
}

func newTaskCancel(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel TASK",
		Short: "End a task that is not over; what it staged is kept",
		Args:  oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withApp(cmd.Context(), func(app *wire.App) error {
				return g.acted(app.Supervisor.Cancel(cmd.Context(), args[0]))
			})
		},
	}
}

func newTaskResume(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "resume TASK",
		Short: "Go on with a task that was answered or interrupted",
		Args:  oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withApp(cmd.Context(), func(app *wire.App) error {
				ctx := cmd.Context()
				t, err := app.Store.Task(ctx, args[0])
				if err != nil {
					return err
				}
				if t.State.Final() {
					return &writ.Error{Code: writ.CodeStateIllegal, Msg: "task " + t.ID + " is over"}
				}
				report, err := g.follow(ctx, app, t.ID, t.Options)
				if err != nil {
					return err
				}
				return ended(report)
			})
		},
	}
}
