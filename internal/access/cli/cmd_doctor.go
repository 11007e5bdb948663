package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/access/wire"
	"github.com/writ-dev/writ/internal/infra/show"
)

func newDoctor(g *globals) *cobra.Command {
	var trust bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what works here, what does not, and how to mend it",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return g.doctor(cmd.Context(), trust) },
	}
	cmd.Flags().BoolVar(&trust, "trust", false, "show what this workspace's writ.yaml grants, and trust exactly this content of it")
	return cmd
}

func (g *globals) doctor(ctx context.Context, trust bool) error {
	opts, err := g.options()
	if err != nil {
		return err
	}
	if trust {
		grants, err := wire.Trust(opts)
		if err != nil {
			return err
		}
		for _, line := range grants {
			fmt.Fprintln(g.env.Stderr, "trusted: "+show.Line(line))
		}
	}
	d := wire.Diagnose(ctx, opts)
	if g.json {
		if err := g.printJSON(d); err != nil {
			return err
		}
	} else {
		for _, c := range d.Checks {
			fmt.Fprintf(g.env.Stdout, "%-8s %-14s %s\n", c.Status, c.Name, show.Line(c.Detail))
		}
		fmt.Fprintf(g.env.Stdout, "sandbox  level %d       %s\n", d.Sandbox.Level, show.Line(d.Sandbox.Why))
	}
	if !d.OK {
		return &exitError{writ.ExitFailed}
	}
	return nil
}
