package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/access/demo"
	"github.com/writ-dev/writ/internal/access/wire"
	"github.com/writ-dev/writ/internal/infra/config"
	"github.com/writ-dev/writ/internal/infra/show"
	"github.com/writ-dev/writ/internal/supervisor"
)

func newDemo(g *globals) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See one governed task, with a scripted model: no key, no network",
		Long: `Run one governed task on a bundled repository. The model is scripted: it plays
recorded answers, among them a write outside the plan and broken code. The
guards, the checks and the tests are real.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.demo(cmd.Context(), keep) },
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the demo's folder")
	return cmd
}

func (g *globals) demo(ctx context.Context, keep bool) error {
	fmt.Fprintln(g.env.Stdout, "writ demo: the model is scripted (recorded answers, not an AI); no key, no network. Guards, checks and tests are real.")
	dir, err := os.MkdirTemp("", "writ-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return fmt.Errorf("find the demo's folder: %w", err)
	}
	if keep {
		fmt.Fprintf(g.env.Stdout, "its folder: %s\n", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	req, opts, err := g.demoTask(dir)
	if err != nil {
		return err
	}
	app, err := wire.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer app.Close()
	fmt.Fprintf(g.env.Stdout, "request: %s\n", req.Prompt)
	report, err := g.drive(ctx, app, req)
	if err != nil {
		return err
	}
	if g.json {
		return ended(report)
	}
	diff, err := app.Supervisor.Diff(ctx, report.TaskID, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(g.env.Stdout, "\nwhat was applied:\n%s", show.Escape(diff))
	res, err := app.Audit.Verify(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(g.env.Stdout, "\naudit: %d rows, the chain holds: %v\n", res.Rows, res.OK)
	return ended(report)
}

// demoTask lays out the demo's repository and says which half of it can run
// here.
func (g *globals) demoTask(dir string) (supervisor.Request, wire.Options, error) {
	ws := filepath.Join(dir, "tides")
	if err := demo.WriteRepo(ws); err != nil {
		return supervisor.Request{}, wire.Options{}, err
	}
	_, noPython := exec.LookPath("python3")
	_, noGo := exec.LookPath("go")
	prompt := demo.Prompt
	if noPython != nil {
		prompt = demo.PromptGo
		fmt.Fprintln(g.env.Stdout, "python3 is not installed: the Go half runs alone.")
	}
	if noGo != nil {
		fmt.Fprintln(g.env.Stdout, "go is not installed: the Go tests are left out.")
	}
	provider, err := demo.Provider(noPython == nil)
	if err != nil {
		return supervisor.Request{}, wire.Options{}, err
	}
	opts := wire.Options{
		Workspace: ws, Dir: dir, StateDir: filepath.Join(dir, "state"), Version: g.env.Version, Provider: provider,
		Environ: append(g.env.Environ, "XDG_CONFIG_HOME="+filepath.Join(dir, "config")),
		Adjust: func(c *config.Config) {
			c.Model.Name = "scripted"
			c.Commands = demo.Commands(noGo == nil, noPython == nil)
		},
	}
	return supervisor.Request{
		Workspace: ws, Prompt: prompt, Type: writ.TypeCoding, Priority: writ.P1,
		Options: writ.Options{Apply: writ.ApplyVerified, Deliver: writ.DeliverNone, NoInput: true},
	}, opts, nil
}
