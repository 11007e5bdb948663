package edit

import (
	"strings"
	"testing"
)

// The judgement of a file of usual size and many comments.
func BenchmarkPlaceholder(b *testing.B) {
	content := []byte(strings.Repeat("// f does a part of the work.\nfunc f(a int) string { return \"x\" }\n\n", 150))
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		if e := Placeholder("a.go", nil, content); e != nil {
			b.Fatal(e)
		}
	}
}
