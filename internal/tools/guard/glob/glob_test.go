package glob

import (
	"strings"
	"testing"
	"time"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, pattern, path string
		dir, want           bool
	}{
		{"a name at the top", "a.txt", "a.txt", false, true},
		{"a name at any depth", "a.txt", "x/y/a.txt", false, true},
		{"an anchored name at the top", "/a.txt", "a.txt", false, true},
		{"an anchored name below", "/a.txt", "x/a.txt", false, false},
		{"a slash in the middle anchors", "x/a.txt", "y/x/a.txt", false, false},
		{"a star inside a name", "*.pem", "keys/k.pem", false, true},
		{"a star stops at a slash", "x/*.pem", "x/y/k.pem", false, false},
		{"a question mark is one letter", "k?.pem", "kö.pem", false, true},
		{"a question mark is not none", "k?.pem", "k.pem", false, false},
		{"deep at the front", "**/.env*", "sub/.env.local", false, true},
		{"deep at the front, at the top", "**/.env*", ".env", false, true},
		{"deep in the middle, none", "a/**/b", "a/b", false, true},
		{"deep in the middle, two", "a/**/b", "a/x/y/b", false, true},
		{"deep at the end, inside", "a/**", "a/x/y", false, true},
		{"deep at the end is not the folder", "a/**", "a", true, false},
		{"two deeps", "**/a/**/b", "x/a/b/c/b", false, true},
		{"a set", "[a-c]x", "bx", false, true},
		{"a negated set", "[!a-c]x", "bx", false, false},
		{"a class", "v[[:digit:]]", "v7", false, true},
		{"a bracket in a set", "[]]x", "]x", false, true},
		{"an escaped star", `\*`, "*", false, true},
		{"an escaped star is no star", `\*`, "a", false, false},
		{"a folder pattern on a file", "out/", "out", false, false},
		{"a folder pattern on a folder", "out/", "a/out", true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, err := Compile(tc.pattern)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Match(tc.path, tc.dir); got != tc.want {
				t.Errorf("Compile(%q).Match(%q, %v) = %v, want %v", tc.pattern, tc.path, tc.dir, got, tc.want)
			}
		})
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, path string
		want          bool
	}{
		{".husky/", ".husky/pre-commit", true},
		{".husky/", ".husky", true},
		{".husky/", "a/.husky/x/y", true},
		{"secrets/**", "secrets/a/k.pem", true},
		{"secrets/**", "other/secrets/k.pem", false},
		{"secrets", "a/secrets/k.pem", true},
		{"*.pem", "dir.pem/readme", true},
		{"/top", "a/top/b", false},
	} {
		p, err := Compile(tc.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Covers(tc.path); got != tc.want {
			t.Errorf("Compile(%q).Covers(%q) = %v, want %v", tc.pattern, tc.path, got, tc.want)
		}
	}
}

func TestCompileRefusesWhatCannotMatch(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "/", "//", "a//b", "../x", "a/../b", "./a", "a[b", "a[[:alpha:", `a\`} {
		if p, err := Compile(bad); err == nil {
			t.Errorf("Compile(%q) = %v, want an error", bad, p)
		}
	}
	if (Pattern{}).Match("a", false) {
		t.Error("the zero pattern matches")
	}
}

func TestManyStarsStayFast(t *testing.T) {
	t.Parallel()
	p, err := Compile(strings.Repeat("**/", 40) + strings.Repeat("a*", 40) + "b")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if p.Match(strings.Repeat("aaaaaaaaaa/", 90)+strings.Repeat("a", 250), false) {
		t.Error("matched")
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
}

func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{{"**/a*", "x/ab"}, {"[a-", "a"}, {"[[:alpha:]]/**", "q/r"}, {"\\", "\\"}, {"a/**/b", "a/b"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		p, err := Compile(pattern)
		if err != nil {
			return
		}
		if p.Match(path, false) && !p.Match(path, true) {
			t.Errorf("%q matches the file %q and not the folder", pattern, path)
		}
		if p.Match(path, true) && !p.Covers(path) {
			t.Errorf("%q matches %q and does not cover it", pattern, path)
		}
	})
}
