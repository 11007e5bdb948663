package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/access/wire"
	"github.com/writ-dev/writ/internal/infra/show"
)

// globals are the flags that every command has.
type globals struct {
	env      Env
	dir      string
	stateDir string
	config   string
	json     bool
	noColor  bool
}

func newRoot(g *globals) *cobra.Command {
	root := &cobra.Command{
		Use:   "writ",
		Short: "A coding agent that may change only what a plan names, and proves what it did",
		Long: `Writ lets an AI change a code base only inside a writ: a plan that names the
files, limits that hold by force, and evidence that the engine collects itself.

  writ run "add a --verbose flag to cmd/tool"   one governed task, applied once verified
  writ demo                                     see it work, with no key and no network
  writ doctor                                   what works here, and what does not`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError(fmt.Sprintf("unknown command %q", args[0]), didYouMean(cmd, args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError(err.Error(), "see writ help") })
	f := root.PersistentFlags()
	f.StringVarP(&g.dir, "dir", "C", "", "work in this directory")
	f.StringVar(&g.stateDir, "state-dir", "", "keep state in this directory (default $XDG_STATE_HOME/writ)")
	f.StringVar(&g.config, "config", "", "use this file instead of the project's writ.yaml")
	f.BoolVar(&g.json, "json", false, "print JSON lines on stdout")
	f.BoolVar(&g.noColor, "no-color", false, "print without colour (also NO_COLOR)")
	root.AddCommand(
		newRun(g), newAsk(g), newTask(g), newChanges(g), newAct(g, "apply"), newAct(g, "discard"), newAct(g, "undo"),
		newCheck(g), newAudit(g), newConfig(g), newDoctor(g), newInit(g), newDemo(g), newVersion(g),
	)
	return root
}

func didYouMean(cmd *cobra.Command, name string) string {
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	return "writ help lists the commands"
}

// noArgs refuses arguments with one readable line.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError(fmt.Sprintf("%s takes no argument, got %q", cmd.CommandPath(), args[0]), "see writ help "+cmd.Name())
	}
	return nil
}

// atMostOne accepts one argument or none.
func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError(fmt.Sprintf("%s takes one argument, got %d", cmd.CommandPath(), len(args)), "see writ help "+cmd.Name())
	}
	return nil
}

// workspace is the directory to work in, absolute and with links resolved, so
// that one directory is one workspace.
func (g *globals) workspace() (string, error) {
	dir := g.dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(g.env.Dir, dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", usageError(fmt.Sprintf("%s is not a directory that can be opened", show.Line(dir)), "name an existing directory with -C")
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() {
		return "", usageError(fmt.Sprintf("%s is not a directory", show.Line(dir)), "name an existing directory with -C")
	}
	return real, nil
}

// options are what wire needs to build the program for this invocation.
func (g *globals) options() (wire.Options, error) {
	ws, err := g.workspace()
	if err != nil {
		return wire.Options{}, err
	}
	return wire.Options{Workspace: ws, Dir: g.env.Dir, StateDir: g.stateDir, ConfigFile: g.config, Environ: g.env.Environ, Version: g.env.Version}, nil
}

// printJSON writes one object as one line.
func (g *globals) printJSON(v any) error {
	enc := json.NewEncoder(g.env.Stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write to stdout: %w", err)
	}
	return nil
}

// warn prints what was left out of a configuration.
func (g *globals) warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintf(g.env.Stderr, "writ: warning: %s\n", show.Line(w))
	}
}

// color reports whether colour codes may be printed.
func (g *globals) color() bool {
	if g.noColor || !g.env.Terminal {
		return false
	}
	for _, e := range g.env.Environ {
		if strings.HasPrefix(e, "NO_COLOR=") && e != "NO_COLOR=" || e == "TERM=dumb" {
			return false
		}
	}
	return true
}

// acted prints a report that a command leaves behind, then returns the error
// that goes with it.
func (g *globals) acted(report *writ.Report, err error) error {
	if report != nil {
		if g.json {
			if perr := g.printJSON(report); perr != nil {
				return perr
			}
		} else {
			printChanges(g.env.Stdout, report)
		}
	}
	return err
}
