package staging

import (
	"bytes"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// span is one place where two texts differ: lines from..to of the old one are
// replaced by lines replFrom..replTo of the new one, counted from 0.
type span struct {
	from, to         int
	replFrom, replTo int
}

// compareLines finds the differing places of two texts, in order. The search
// is bounded: texts with very many differences get fewer, larger spans.
func compareLines(before, after []string) []span {
	diffs := lcs.DiffLines(before, after)
	spans := make([]span, len(diffs))
	for i, d := range diffs {
		spans[i] = span{from: d.Start, to: d.End, replFrom: d.ReplStart, replTo: d.ReplEnd}
	}
	return spans
}

// countLines tells how many lines came and went. A binary side counts none.
func countLines(before, after []byte) (additions, deletions int) {
	if binary(before) || binary(after) {
		return 0, 0
	}
	for _, s := range compareLines(splitLines(before), splitLines(after)) {
		additions += s.replTo - s.replFrom
		deletions += s.to - s.from
	}
	return additions, deletions
}

// splitLines cuts a text behind each line feed. The last line may lack one.
func splitLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// binary reports whether git would call the content binary: a NUL byte among
// the first 8000.
func binary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0
}
