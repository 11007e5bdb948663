package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/access/wire"
	"github.com/writ-dev/writ/internal/infra/audit"
)

func newAudit(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "List, verify and export what was recorded",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAuditList(g), newAuditVerify(g), newAuditExport(g))
	return cmd
}

func newAuditList(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "list [TASK]",
		Short: "Print the stored events, oldest first",
		Args:  atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withApp(cmd.Context(), func(app *wire.App) error {
				id, err := namedTask(cmd.Context(), app, args)
				if err != nil {
					return err
				}
				return app.Audit.List(cmd.Context(), id, g.printEvent)
			})
		},
	}
}

// namedTask resolves an optional task argument; empty means all tasks.
func namedTask(ctx context.Context, app *wire.App, args []string) (string, error) {
	if len(args) == 0 {
		return "", nil
	}
	t, err := app.Store.Task(ctx, args[0])
	if err != nil {
		return "", err
	}
	return t.ID, nil
}

func newAuditVerify(g *globals) *cobra.Command {
	var checkpoint string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that nothing recorded was changed, removed or reordered",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.withApp(cmd.Context(), func(app *wire.App) error { return g.verifyAudit(cmd.Context(), app, checkpoint) })
		},
	}
	cmd.Flags().StringVar(&checkpoint, "checkpoint", "", "also compare with this exported checkpoint file")
	return cmd
}

func (g *globals) verifyAudit(ctx context.Context, app *wire.App, checkpoint string) error {
	var external *audit.Signed
	if checkpoint != "" {
		f, err := os.Open(checkpoint)
		if err != nil {
			return usageError("the checkpoint cannot be read: "+err.Error(), "name a file that audit export wrote")
		}
		defer f.Close()
		signed, err := audit.ReadCheckpoint(f)
		if err != nil {
			return usageError("not a checkpoint: "+err.Error(), "name a file that audit export wrote")
		}
		external = &signed
	}
	res, err := app.Audit.Verify(ctx, external)
	if err != nil {
		return err
	}
	if g.json {
		err = g.printJSON(res)
	} else if res.OK {
		_, err = fmt.Fprintf(g.env.Stdout, "%d rows, the chain holds\n", res.Rows)
	} else {
		_, err = fmt.Fprintf(g.env.Stdout, "broken at %s: %s\n", *res.BrokenAt, res.Detail)
	}
	if err == nil && !res.OK {
		return &exitError{writ.ExitFailed}
	}
	return err
}

func newAuditExport(g *globals) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "export [TASK]",
		Short: "Write the stored events as JSON lines",
		Args:  atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withApp(cmd.Context(), func(app *wire.App) error {
				id, err := namedTask(cmd.Context(), app, args)
				if err != nil {
					return err
				}
				if output == "" {
					return app.Audit.Export(cmd.Context(), g.env.Stdout, id)
				}
				f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
				if err != nil {
					return usageError("the export cannot be written: "+err.Error(), "name a file that does not exist yet")
				}
				if err := app.Audit.Export(cmd.Context(), f, id); err != nil {
					f.Close()
					return err
				}
				return f.Close()
			})
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "a new file instead of stdout")
	return cmd
}
