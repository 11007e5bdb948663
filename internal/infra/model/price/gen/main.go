package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"charm.land/catwalk/pkg/embedded"
)

func main() {
	if err := run("catalogue.tsv"); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(path string) error {
	version, err := catalogueVersion()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Clean(path), []byte(Table(version, embedded.GetAll())), 0o644); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// catalogueVersion is the version of the catalogue that was linked in.
func catalogueVersion() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", fmt.Errorf("the program has no build information")
	}
	for _, dep := range info.Deps {
		if dep.Path == "charm.land/catwalk" {
			return dep.Version, nil
		}
	}
	return "", fmt.Errorf("the program was built without the catalogue")
}
