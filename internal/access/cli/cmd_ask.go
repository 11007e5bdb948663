package cli

import (
	"github.com/spf13/cobra"
)

func newAsk(g *globals) *cobra.Command {
	o := runOptions{typ: "simple_qa", deliver: "none", priority: "P1"}
	cmd := &cobra.Command{
		Use:   "ask QUESTION | -",
		Short: "Answer a question about the workspace, reading only",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("ask takes one question", `quote it: writ ask "…"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), g, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.noInput, "no-input", false, "never ask")
	f.Int64Var(&o.maxTokens, "max-tokens", 0, "hard token budget")
	f.StringVar(&o.model, "model", "", "model for this question")
	f.StringVar(&o.baseURL, "base-url", "", "model server for this question")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "more detail on stderr")
	return cmd
}
