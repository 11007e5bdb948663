package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/access/wire"
	"github.com/writ-dev/writ/internal/infra/show"
	"github.com/writ-dev/writ/internal/supervisor"
)

func newChanges(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "changes [TASK]",
		Short: "Show a task's changes as a unified diff",
		Args:  atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withApp(cmd.Context(), func(app *wire.App) error { return g.showChanges(cmd.Context(), app, args) })
		},
	}
}

// changesView is what changes --json prints.
type changesView struct {
	TaskID  string        `json:"task_id"`
	Changes []writ.Change `json:"changes"`
}

func (g *globals) showChanges(ctx context.Context, app *wire.App, args []string) error {
	id, err := lastTask(ctx, app, args)
	if err != nil {
		return err
	}
	if id == "" {
		if g.json {
			return g.printJSON(changesView{Changes: []writ.Change{}})
		}
		fmt.Fprintln(g.env.Stderr, "no task in this workspace yet")
		return nil
	}
	report, err := app.Supervisor.Report(ctx, id)
	if err != nil {
		return err
	}
	if g.json {
		return g.printJSON(changesView{TaskID: report.TaskID, Changes: report.Changes})
	}
	diff, err := app.Supervisor.Diff(ctx, report.TaskID, nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(g.env.Stdout, show.Escape(diff))
	return err
}

// lastTask is the named task, else the newest one of this workspace that
// changes files, else the newest one; empty where there is none.
func lastTask(ctx context.Context, app *wire.App, args []string) (string, error) {
	if len(args) == 1 {
		t, err := app.Store.Task(ctx, args[0])
		if err != nil {
			return "", err
		}
		return t.ID, nil
	}
	t, err := app.Store.LastTask(ctx, app.Workspace)
	if err != nil || t == nil {
		return "", err
	}
	return t.ID, nil
}

// newAct makes apply, discard and undo.
func newAct(g *globals, verb string) *cobra.Command {
	var paths []string
	short := map[string]string{
		"apply":   "Write a task's staged changes into the workspace",
		"discard": "Drop a task's staged changes",
		"undo":    "Take back what a task applied",
	}
	cmd := &cobra.Command{
		Use:   verb + " [TASK]",
		Short: short[verb],
		Long: short[verb] + `: of the last task of this workspace, or of TASK.

A file that a person changed since is left alone and reported as STALE_FILE,
exit 3; the other files are done. Nothing to do is exit 0.`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withApp(cmd.Context(), func(app *wire.App) error {
				id, err := lastTask(cmd.Context(), app, args)
				if err != nil {
					return err
				}
				if id == "" {
					fmt.Fprintln(g.env.Stderr, "nothing to "+verb+": no task in this workspace yet")
					return nil
				}
				return g.acted(app.Supervisor.Act(cmd.Context(), id, supervisor.Act(verb), paths))
			})
		},
	}
	cmd.Flags().StringArrayVar(&paths, "path", nil, "only this file; may be repeated")
	return cmd
}
