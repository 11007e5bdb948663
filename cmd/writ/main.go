// Writ is a governance-first coding agent.
package main

import (
	"context"
	"os"

	"golang.org/x/term"

	"github.com/writ-dev/writ/internal/access/cli"
	"github.com/writ-dev/writ/internal/access/wire"
)

// version is set by the build of a release.
var version = "dev"

func main() {
	// A child that this program started to parse or to confine something.
	if wire.Child(os.Args) {
		return
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	os.Exit(cli.Main(context.Background(), cli.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(), Dir: dir,
		Terminal: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())), Version: version,
	}))
}
