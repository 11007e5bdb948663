package file_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/file"
	"github.com/writ-dev/writ/writtest"
)

var tree = map[string]string{
	"README.md": "# R\n", "main.go": "package main\n", "src/a.go": "package a\n", "src/a_test.go": "package a\n",
	"src/deep/b.ts": "let b\n", "src/deep/c.json": "{}\n", "src.txt": "x\n", "Shot 3.04\u202fPM.md": "# S\n",
}

func listed(result map[string]any) []string {
	var names []string
	for _, name := range result["files"].([]any) {
		names = append(names, name.(string))
	}
	return names
}

func TestListFiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t, tree)
	for name, tc := range map[string]struct {
		args args
		want []string
	}{
		"all":                    {args{}, []string{"README.md", "Shot 3.04\u202fPM.md", "main.go", "src.txt", "src/a.go", "src/a_test.go", "src/deep/b.ts", "src/deep/c.json"}},
		"a folder":               {args{"path": "src"}, []string{"src/a.go", "src/a_test.go", "src/deep/b.ts", "src/deep/c.json"}},
		"a folder with a slash":  {args{"path": "./src/deep/"}, []string{"src/deep/b.ts", "src/deep/c.json"}},
		"the workspace":          {args{"path": ".", "glob": "*.md"}, []string{"README.md", "Shot 3.04\u202fPM.md"}},
		"absolute inside":        {args{"path": writtest.WorkspaceDir + "/src/deep"}, []string{"src/deep/b.ts", "src/deep/c.json"}},
		"one file":               {args{"path": "src/a.go"}, []string{"src/a.go"}},
		"names in every folder":  {args{"glob": "*.go"}, []string{"main.go", "src/a.go", "src/a_test.go"}},
		"with a slash":           {args{"glob": "src/*.go"}, []string{"src/a.go", "src/a_test.go"}},
		"at any depth":           {args{"glob": "**/*.ts"}, []string{"src/deep/b.ts"}},
		"below a folder":         {args{"glob": "src/**"}, []string{"src/a.go", "src/a_test.go", "src/deep/b.ts", "src/deep/c.json"}},
		"alternatives":           {args{"glob": "*.{ts,json}"}, []string{"src/deep/b.ts", "src/deep/c.json"}},
		"nested alternatives":    {args{"glob": "{src/{a,b}.go,main.*}"}, []string{"main.go", "src/a.go"}},
		"relative to the folder": {args{"path": "src", "glob": "deep/*"}, []string{"src/deep/b.ts", "src/deep/c.json"}},
		"a folder as a glob":     {args{"glob": "deep/"}, []string{"src/deep/b.ts", "src/deep/c.json"}},
		"no hit":                 {args{"glob": "*.rs"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := (&desk{t, d.ws, d.reg, d.role}).ok(file.ListFiles, tc.args)
			if diff := cmp.Diff(tc.want, listed(got)); diff != "" {
				t.Error(diff)
			}
			if got["total"] != float64(len(tc.want)) {
				t.Errorf("total = %v, want %d", got["total"], len(tc.want))
			}
		})
	}
}

func TestListFilesRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t, tree)
	for name, tc := range map[string]struct {
		args args
		code writ.Code
	}{
		"outside":               {args{"path": ".."}, writ.CodePathOutside},
		"absolute":              {args{"path": "/etc"}, writ.CodePathOutside},
		"backslash":             {args{"path": `src\deep`}, writ.CodePathInvalid},
		"absent":                {args{"path": "lib"}, writ.CodeFileNotFound},
		"a broken glob":         {args{"glob": "[a"}, writ.CodeSchemaInvalid},
		"a glob that climbs":    {args{"glob": "../*"}, writ.CodeSchemaInvalid},
		"a very long glob":      {args{"glob": strings.Repeat("a", 501)}, writ.CodeSchemaInvalid},
		"a glob of many worlds": {args{"glob": strings.Repeat("{a,b}", 20)}, writ.CodeSchemaInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			(&desk{t, d.ws, d.reg, d.role}).refused(tc.code, file.ListFiles, tc.args)
		})
	}
}

func TestListFilesShowsStagedChanges(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"a.go": "package a\n", "b.go": "package b\n"}, "a.go", "c.go")
	d.ok(file.DeleteFile, args{"path": "a.go"})
	d.ok(file.WriteFile, args{"path": "c.go", "content": "package c\n"})
	if diff := cmp.Diff([]string{"b.go", "c.go"}, listed(d.ok(file.ListFiles, args{}))); diff != "" {
		t.Error(diff)
	}
}

func TestListFilesIsBounded(t *testing.T) {
	t.Parallel()
	files := make(map[string]string)
	for i := range 3000 {
		files[fmt.Sprintf("f%04d.go", i)] = ""
	}
	got := newDesk(t, files).ok(file.ListFiles, args{})
	if len(listed(got)) != 1000 || got["total"] != 3000.0 || got["note"] != "truncated: 1000 of 3000 files; give a path or a glob" {
		t.Errorf("%d files, total %v, note %v", len(listed(got)), got["total"], got["note"])
	}
}

func hits(result map[string]any) []string {
	var all []string
	for _, hit := range result["hits"].([]any) {
		all = append(all, hit.(string))
	}
	return all
}

func TestSearchText(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.go": "package a\n\nfunc Foo() {}\nfunc foo() {}\n", "b.txt": "Foo\r\nbar\r\nFoo", "c/d.go": "// foo\n",
		"x.bin": "foo\x00", "latin.txt": "f\xf6\xf6 foo\n", "big.txt": strings.Repeat("foo\n", 1<<18+1),
		"wide.js": strings.Repeat("x", 1000) + "needle" + strings.Repeat("y", 1000) + "\n", "odd\u202ename.txt": "odd\n",
	}
	d := newDesk(t, files)
	for name, tc := range map[string]struct {
		args args
		want []string
	}{
		"plain":             {args{"pattern": "Foo"}, []string{"a.go:3:func Foo() {}", "b.txt:1:Foo", "b.txt:3:Foo"}},
		"ignoring case":     {args{"pattern": "(?i)foo", "glob": "*.go"}, []string{"a.go:3:func Foo() {}", "a.go:4:func foo() {}", "c/d.go:1:// foo"}},
		"anchors":           {args{"pattern": "^Foo$"}, []string{"b.txt:1:Foo", "b.txt:3:Foo"}},
		"other encodings":   {args{"pattern": "föö"}, []string{"latin.txt:1:föö foo"}},
		"no hit":            {args{"pattern": "nowhere"}, nil},
		"a name is escaped": {args{"pattern": "odd"}, []string{`odd\u{202e}name.txt:1:odd`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := (&desk{t, d.ws, d.reg, d.role}).ok(file.SearchText, tc.args)
			if diff := cmp.Diff(tc.want, hits(got)); diff != "" {
				t.Error(diff)
			}
			if tc.args["glob"] == nil {
				if diff := cmp.Diff(map[string]any{"binary": 1.0, "large": 1.0}, got["files_skipped"]); diff != "" {
					t.Errorf("skipped:\n%s", diff)
				}
			}
		})
	}
	wide := hits(d.ok(file.SearchText, args{"pattern": "needle"}))
	if len(wide) != 1 || len(wide[0]) > 350 || !strings.Contains(wide[0], "needle") {
		t.Errorf("a wide line is shown as %q", wide)
	}
}

func TestSearchTextIsBounded(t *testing.T) {
	t.Parallel()
	got := newDesk(t, map[string]string{"a.txt": strings.Repeat("x\n", 5000)}).ok(file.SearchText, args{"pattern": "x"})
	if len(hits(got)) != 200 || got["total"] != 5000.0 || got["note"] != "truncated: 200 of 5000 hits; make the pattern or the glob narrower" {
		t.Errorf("%d hits, total %v, note %v", len(hits(got)), got["total"], got["note"])
	}
}

func TestSearchTextRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t, tree)
	for name, pattern := range map[string]string{
		"empty": "", "open bracket": "(", "look-ahead": "(?=a)", "back reference": `(a)\1`, "very long": strings.Repeat("a", 1001),
		"a bomb": "((a{1000}){1000}){1000}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			(&desk{t, d.ws, d.reg, d.role}).refused(writ.CodeSchemaInvalid, file.SearchText, args{"pattern": pattern}, "pattern")
		})
	}
}
