package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
)

// MaxContext bounds all context blocks of one prompt together, in bytes.
const MaxContext = 4 << 10

// Fence marks text as data from a source. A source is foreign too: it is shown
// on one line, with hidden characters escaped.
func Fence(source, text string) string {
	sum := sha256.Sum256([]byte(text))
	mark := hex.EncodeToString(sum[:5])
	end := "\n"
	if strings.HasSuffix(text, "\n") {
		end = ""
	}
	return fmt.Sprintf("<<< %s from %s\n%s%s>>> %s", mark, show.Line(source), text, end, mark)
}

// Bounded cuts context blocks so that they fit into [MaxContext] together. A
// block that is cut says so; one that does not fit at all leaves its name.
func Bounded(blocks []writ.ContextBlock) []writ.ContextBlock {
	left := MaxContext
	out := make([]writ.ContextBlock, 0, len(blocks))
	for _, b := range blocks {
		if len(b.Text) > left {
			b.Text = Cut(b.Text, left)
		}
		left -= min(left, len(b.Text))
		out = append(out, b)
	}
	return out
}

// Cut shortens a text to at most n bytes at a character's boundary and says how
// much is missing.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	head := strings.ToValidUTF8(text[:max(n, 0)], "")
	return fmt.Sprintf("%s\n[cut: %d of %d bytes]", head, len(head), len(text))
}
