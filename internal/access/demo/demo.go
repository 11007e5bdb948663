package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/config"
	"github.com/writ-dev/writ/internal/infra/model/scripted"
)

// Prompt is what the demo's person asks for.
const Prompt = "Metres in tide/tide.go divides by 10, and label in labels/label.py forgets the decimal. Correct both."

// PromptGo is the Go half alone, where no python3 is.
const PromptGo = "Metres in tide/tide.go divides by 10. Correct it."

//go:embed repo
var repo embed.FS

//go:embed script.json script_go.json
var scripts embed.FS

// WriteRepo writes the demo's repository into an empty folder. The embedded
// files end in .txt so that no tool takes them for a module of their own.
func WriteRepo(dir string) error {
	return fs.WalkDir(repo, "repo", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := repo.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read the demo's %s: %w", name, err)
		}
		rel := strings.TrimSuffix(strings.TrimPrefix(name, "repo/"), ".txt")
		target := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("write the demo's repository: %w", err)
		}
		return os.WriteFile(target, body, 0o644)
	})
}

// Provider plays the demo's script.
func Provider(withPython bool) (writ.Provider, error) {
	name := "script_go.json"
	if withPython {
		name = "script.json"
	}
	raw, err := scripts.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the demo's script: %w", err)
	}
	script, err := scripted.Parse(raw)
	if err != nil {
		return nil, err
	}
	return scripted.New(script)
}

// Commands are what the demo declares as evidence.
func Commands(withGo, withPython bool) []config.Command {
	var out []config.Command
	if withGo {
		out = append(out, config.Command{Name: "go-test", Run: []string{"go", "test", "./..."}, Phase: "test", Timeout: config.Duration(180e9), Required: true})
	}
	if withPython {
		out = append(out, config.Command{Name: "py-test", Run: []string{"python3", "-m", "unittest", "-v"}, Phase: "test", Timeout: config.Duration(60e9), Required: true, Dir: "labels"})
	}
	return out
}
