package supervisor

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
)

// notesBudget bounds what one project file adds to a prompt, in bytes.
const notesBudget = 2 << 10

// projectNotes reads the files in which projects speak to agents: at the root
// and in the folders of the given files. They reach a prompt as untrusted
// context and grant nothing.
func (r *run) projectNotes(ctx context.Context, files []string) []writ.ContextBlock {
	names := []string{"AGENTS.md", "CLAUDE.md", ".cursorrules"}
	dirs := []string{"."}
	for _, f := range files {
		for d := path.Dir(f); d != "." && d != "/"; d = path.Dir(d) {
			if !slices.Contains(dirs, d) {
				dirs = append(dirs, d)
			}
		}
	}
	var blocks []writ.ContextBlock
	for _, d := range dirs {
		for _, n := range names {
			if d != "." && n != "AGENTS.md" {
				continue
			}
			name := path.Join(d, n)
			f, err := r.root.Read(ctx, name, maxFile)
			if err != nil {
				continue
			}
			text := string(f.Content)
			if len(text) > notesBudget {
				text = strings.ToValidUTF8(text[:notesBudget], "") + "\n[cut]"
			}
			blocks = append(blocks, writ.ContextBlock{Source: name, Text: text})
		}
	}
	return blocks
}
