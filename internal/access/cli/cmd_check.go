package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/access/wire"
	"github.com/writ-dev/writ/internal/infra/show"
)

func newCheck(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "check [PATH…|-]",
		Short: "Check the syntax of files, as the gate inside a task does",
		Long: `Check the syntax of the given files, of those that - reads from stdin (one a
line), or of every listed file of the workspace. Exit 3 where one is invalid.`,
		RunE: func(cmd *cobra.Command, args []string) error { return g.check(cmd.Context(), args) },
	}
}

func (g *globals) check(ctx context.Context, args []string) error {
	opts, err := g.options()
	if err != nil {
		return err
	}
	files, err := wire.OpenFiles(ctx, opts)
	if err != nil {
		return err
	}
	defer files.Close()
	paths, err := g.checkPaths(ctx, files, args)
	if err != nil {
		return err
	}
	invalid := 0
	for _, p := range paths {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v := files.Check(ctx, p)
		if v.Verdict == writ.VerdictInvalid {
			invalid++
		}
		if err := g.printVerdict(v); err != nil {
			return err
		}
	}
	if invalid > 0 {
		return &exitError{writ.ExitFailed}
	}
	return nil
}

func (g *globals) checkPaths(ctx context.Context, files *wire.Files, args []string) ([]string, error) {
	switch {
	case len(args) == 1 && args[0] == "-":
		var paths []string
		in := bufio.NewScanner(g.env.Stdin)
		for in.Scan() {
			if p := strings.TrimRight(in.Text(), "\r"); p != "" {
				paths = append(paths, p)
			}
		}
		if err := in.Err(); err != nil {
			return nil, fmt.Errorf("read the paths from stdin: %w", err)
		}
		return paths, nil
	case len(args) > 0:
		return args, nil
	default:
		return files.List(ctx)
	}
}

func (g *globals) printVerdict(v writ.Syntax) error {
	if g.json {
		return g.printJSON(v)
	}
	if v.Verdict == writ.VerdictUnknown && v.Message == "" {
		return nil
	}
	place := show.Line(v.Path)
	if v.Line > 0 {
		place += fmt.Sprintf(":%d:%d", v.Line, v.Column)
	}
	_, err := fmt.Fprintf(g.env.Stdout, "%-8s %s  %s\n", v.Verdict, place, show.Line(v.Message))
	return err
}
