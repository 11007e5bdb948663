package cli

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/writ-dev/writ/internal/access/wire"
	"github.com/writ-dev/writ/internal/infra/show"
)

type initOptions struct {
	wire, baseURL, model, keyEnv string
	force                        bool
}

func newInit(g *globals) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Name a model once, and trust this workspace's writ.yaml",
		Long: `Write your own configuration file with the model server to use, and trust this
workspace's writ.yaml as it now is, after showing what it would grant.

The key is never written: the file names the environment variable that holds it.`,
		Example: `  writ init --base-url http://127.0.0.1:11434/v1 --model qwen3-coder
  writ init --wire anthropic --base-url https://api.anthropic.com --model claude-sonnet-4-5 --key-env ANTHROPIC_API_KEY`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return o.run(g) },
	}
	f := cmd.Flags()
	f.StringVar(&o.wire, "wire", "openai", "openai (chat completions) or anthropic (messages)")
	f.StringVar(&o.baseURL, "base-url", "", "the model server")
	f.StringVar(&o.model, "model", "", "the model")
	f.StringVar(&o.keyEnv, "key-env", "", "the environment variable that holds the key; empty for a server without one")
	f.BoolVar(&o.force, "force", false, "replace an existing file; the old one is kept beside it")
	return cmd
}

func (o *initOptions) run(g *globals) error {
	opts, err := g.options()
	if err != nil {
		return err
	}
	if err := o.askMissing(g); err != nil {
		return err
	}
	path, err := wire.WriteUserConfig(opts, wire.UserModel{Wire: o.wire, BaseURL: o.baseURL, Name: o.model, KeyEnv: o.keyEnv}, o.force)
	if err != nil {
		return err
	}
	fmt.Fprintf(g.env.Stdout, "wrote %s\n", show.Line(path))
	grants, err := wire.Trust(opts)
	if err != nil {
		return err
	}
	for _, line := range grants {
		fmt.Fprintf(g.env.Stdout, "trusted: %s\n", show.Line(line))
	}
	fmt.Fprintf(g.env.Stdout, "next: writ doctor, then writ run \"…\"\n")
	return nil
}

// askMissing asks for what no flag gave, where a person can be asked.
func (o *initOptions) askMissing(g *globals) error {
	fields := []struct {
		value          *string
		flag, question string
	}{
		{&o.baseURL, "--base-url", "model server (such as http://127.0.0.1:11434/v1)"},
		{&o.model, "--model", "model"},
	}
	in := bufio.NewScanner(g.env.Stdin)
	for _, f := range fields {
		if *f.value != "" {
			continue
		}
		if !g.env.Terminal {
			return usageError("init needs "+f.flag, "give --base-url and --model, and --key-env where the server wants a key")
		}
		fmt.Fprintf(g.env.Stderr, "%s: ", f.question)
		if !in.Scan() || strings.TrimSpace(in.Text()) == "" {
			return usageError("no "+f.question+" was given", "give "+f.flag)
		}
		*f.value = strings.TrimSpace(in.Text())
	}
	return nil
}
