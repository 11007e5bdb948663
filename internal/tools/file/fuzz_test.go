package file

import (
	"testing"
)

// A pattern from a model is refused or can be matched; it never takes long and
// never panics.
func FuzzGlob(f *testing.F) {
	for _, seed := range []string{"*.go", "src/**/*.{ts,tsx}", "{a,b}{c,d}", "{{{", "[a-", `\`, "**/**/**", "{,}", "a{b}c", "{a,{b,c}}", "./x", "!x"} {
		f.Add(seed, "src/deep/a.go")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		match, err := newMatcher(pattern)
		if err != nil {
			return
		}
		if match(name) != match(name) {
			t.Fatalf("%q matches %q only sometimes", pattern, name)
		}
		alternatives, err := expand(pattern)
		if err != nil || len(alternatives) > maxAlternatives {
			t.Fatalf("expand(%q) = %d alternatives, %v", pattern, len(alternatives), err)
		}
	})
}
