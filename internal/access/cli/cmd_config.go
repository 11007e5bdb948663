package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/writ-dev/writ/internal/access/wire"
	"github.com/writ-dev/writ/internal/infra/show"
)

func newConfig(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the effective configuration",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "show",
		Short: "Print each effective value with where it comes from",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return g.showConfig() },
	})
	return cmd
}

// configRow is one line of config show --json.
type configRow struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

func (g *globals) showConfig() error {
	opts, err := g.options()
	if err != nil {
		return err
	}
	cfg, warnings, err := wire.LoadConfig(opts)
	if err != nil {
		return err
	}
	g.warn(warnings)
	for _, e := range cfg.Entries() {
		if g.json {
			err = g.printJSON(configRow{e.Key, e.Value, e.Origin})
		} else {
			_, err = fmt.Fprintf(g.env.Stdout, "%-36s %-28s %s\n", e.Key, show.Line(fmt.Sprint(e.Value)), show.Line(e.Origin))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
