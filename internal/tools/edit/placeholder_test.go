package edit

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/writ-dev/writ"
)

// functions gives a file of n small functions, which is longer than bigLines
// from 34 on.
func functions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "export function handler%03d(req, res) {\n  res.end('%d');\n}\n", i, i)
	}
	return b.String()
}

func TestPlaceholderIsRefused(t *testing.T) {
	t.Parallel()
	pythonRules := "def rule_1(x):\n    return x * 1\n\ndef rule_2(x):\n    return x * 2\n"
	for name, tc := range map[string]struct{ path, old, content string }{
		"UP-009/dots around the remaining handlers": {"server.js", functions(130),
			"export function handler000(req, res) {\n  res.statusCode = 200;\n}\n\n// ... the remaining handlers stay exactly as they are ...\n\nexport function handler129(req, res) {\n}\n"},
		"UP-009/the same without dots":      {"server.js", functions(130), "const a = 1;\n// The remaining handlers stay exactly as they are.\n"},
		"UP-009/JSX comment":                {"App.tsx", "", "return (\n  <div>\n    {/* ... rest of the component ... */}\n  </div>\n);\n"},
		"UP-009/block comment on two lines": {"a.java", "", "class A {\n  /*\n   * ... existing code ...\n   */\n}\n"},
		"UP-009/broken over two lines":      {"a.go", "", "package a\n\n// ... rest of the code\n// remains unchanged ...\n"},
		"UP-009/a trailing comment":         {"a.go", "", "package a\n\nfunc f() { /* ... unchanged ... */ }\n"},
		"UP-009/a large file that shrank":   {"server.js", functions(130), "const a = 1;\n// ...\n"},
		"UP-009/a large file, a word":       {"server.js", functions(130), "const a = 1;\n// handlers omitted\n"},
		"UP-009/two words in brackets":      {"a.py", "", "import os\n\n# (rest unchanged)\n"},
		"state-09/rest of the file":         {"rules.py", pythonRules, "def rule_1(x):\n    return x * 100\n\n\n# ... rest of the file unchanged ...\n"},
		"state-09/emptied":                  {"rules.py", pythonRules, ""},
		"state-09/white space":              {"rules.py", pythonRules, "   \n\n\t\n"},
		"state-09/a promise":                {"rules.py", pythonRules, "# TODO\n"},
		"state-09/a promise in a new file":  {"new.js", "", "// TODO: implement\n"},
		"state-09/a stub with a name":       {"a.go", "", "// placeholder for the implementation\n"},

		"cursor style":            {"a.ts", "", "// ... existing code ...\nconst x = 1;\n// ... existing code ...\n"},
		"existing imports":        {"a.ts", "", "// ... existing imports\nimport x from 'x';\n"},
		"hash, brackets":          {"a.py", "", "x = 1\n# (unchanged)\n"},
		"hash, dots and brackets": {"a.rb", "", "x = 1\n# ... (rest of the class) ...\n"},
		"typographic dots":        {"a.rs", "", "fn main() {}\n// … rest of the code …\n"},
		"rest of the code":        {"a.go", "", "package a\n\n// Rest of the code\n"},
		"rest remains the same":   {"a.go", "", "package a\n\n// the rest of the implementation remains the same\n"},
		"existing code here":      {"a.c", "", "int a;\n/* existing code here */\n"},
		"remaining code":          {"a.c", "", "int a;\n// remaining code\n"},
		"other methods":           {"A.java", "", "class A {\n  // other methods remain unchanged\n}\n"},
		"other methods, dots":     {"A.java", "", "class A {\n  // ... other methods ...\n}\n"},
		"keep existing code":      {"a.php", "", "<?php\n// keep the existing code as is\n"},
		"omitted for brevity":     {"a.cs", "", "class A {\n  // rest of the code omitted for brevity\n}\n"},
		"snip":                    {"a.sh", "", "echo a\n# [snip]\n"},
		"sql":                     {"a.sql", "", "SELECT 1;\n-- ... rest of the statements unchanged\n"},
		"lua":                     {"a.lua", "", "x = 1\n-- rest of the code unchanged\n"},
		"haskell":                 {"A.hs", "", "x = 1\n{- rest unchanged -}\n"},
		"lisp":                    {"a.el", "", "(a)\n;; rest of the file unchanged\n"},
		"tex":                     {"a.tex", "", "\\section{A}\n% rest of the file unchanged\n"},
		"html":                    {"a.html", "", "<p>\n<!-- rest of the content unchanged -->\n</p>\n"},
		"css":                     {"a.css", "", "a {}\n/* ... existing styles ... */\n"},
		"yaml":                    {"a.yaml", "", "a: 1\n# ... rest of the configuration unchanged\n"},
		"dockerfile":              {"Dockerfile", "", "FROM scratch\n# ... rest unchanged\n"},
		"markdown comment":        {"README.md", "", "# A\n\n<!-- rest of the document unchanged -->\n"},
		"markdown dots":           {"README.md", "", "# A\n\n... rest of the document unchanged ...\n"},
		"no comment at all":       {"a.rb", "", "x = 1\n... rest of the file unchanged ...\n"},
		"unknown language":        {"a.xyz", "", "x = 1\n// ... existing code ...\n"},
		"Chinese":                 {"a.py", "", "x = 1\n# 其余代码保持不变\n"},
		"Chinese, dots":           {"a.js", "", "x = 1\n// ……其他函数……\n"},
		"Chinese, left out":       {"a.go", "", "package a\n\n// 此处省略其余代码\n"},
		"Japanese":                {"a.js", "", "x = 1\n// 残りのコードは変更なし\n"},
		"Korean":                  {"a.js", "", "x = 1\n// 나머지 코드는 동일\n"},
		"Russian":                 {"a.js", "", "x = 1\n// остальной код без изменений\n"},
		"German":                  {"a.js", "", "x = 1\n// Rest des Codes bleibt unverändert\n"},
		"French":                  {"a.js", "", "x = 1\n// le reste du code reste inchangé\n"},
		"Spanish":                 {"a.js", "", "x = 1\n// el resto del código permanece igual\n"},
		"CRLF":                    {"a.js", "", "x = 1\r\n// ... existing code ...\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Placeholder(tc.path, []byte(tc.old), []byte(tc.content))
			if e == nil {
				t.Fatal("the content was taken for honest")
			}
			if e.Code != writ.CodeSchemaInvalid || e.Path != tc.path {
				t.Errorf("refusal = %+v", e)
			}
		})
	}
}

func TestChatIsRefused(t *testing.T) {
	t.Parallel()
	const honest = "package main\n\nfunc main() {}\n"
	for name, tc := range map[string]struct{ path, content string }{
		"UP-033/chat and fence":       {"main.go", "Sure! Here is the updated file:\n\n```go\n" + honest + "```\n"},
		"UP-033/fence only":           {"main.go", "```go\n" + honest + "```\n"},
		"UP-033/fence in a page":      {"a.yaml", "```yaml\na: 1\n```\n"},
		"UP-033/chat only":            {"main.go", "I have changed the greeting as you wished. Is there anything else?\n"},
		"UP-033/a language unchecked": {"style.css", "Here is the corrected stylesheet:\n\na {}\n"},
		"UP-033/behind blank lines":   {"a.rb", "\n\n  Certainly! I'll update the class.\n\nclass A\nend\n"},
		"UP-033/Chinese":              {"a.py", "好的，以下是更新后的文件：\n\nx = 1\n"},
		"UP-033/German":               {"a.sh", "Gerne, hier ist die Datei:\n\necho a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Placeholder(tc.path, []byte(honest), []byte(tc.content))
			if e == nil || e.Code != writ.CodeSyntaxInvalid {
				t.Fatalf("refusal = %+v, want SYNTAX_INVALID", e)
			}
		})
	}
}

func TestHonestContentPasses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ path, old, content string }{
		"Python's ellipsis":            {"a.py", "", "from typing import Protocol\n\nclass P(Protocol):\n    def f(self) -> int: ...\n    def g(self) -> int:\n        ...\n\nx: tuple[int, ...] = ()\ny = a[..., 0]\n"},
		"a stub file":                  {"a.pyi", "", "def f() -> None: ...\n"},
		"spread":                       {"a.js", "", "const a = {\n  ...rest,\n  ...existing,\n  ...other as Props,\n  ...unchanged\n};\nf(...remaining);\n"},
		"variadic":                     {"a.go", "", "package a\n\nfunc f(rest ...string) { g(rest...) }\n"},
		"variadic in C":                {"a.c", "", "int f(const char *s,\n      ...);\n"},
		"rest in speech":               {"a.go", "", "package a\n\n// The rest of the file is parsed lazily, see parseRest.\nvar x = 1\n"},
		"remaining in speech":          {"a.py", "", "# handle the remaining cases...\nx = 1\n# wait for the rest...\n"},
		"existing in speech":           {"a.js", "", "// Keep existing entries when the key is known\nx = 1;\n// other methods\n// existing users\n"},
		"unchanged in speech":          {"a.go", "", "package a\n\nfunc f() {\n\tdefault:\n\t\t// unchanged\n\t}\n"},
		"a sentence that goes on":      {"a.go", "", "package a\n\n// f returns the first\n// ... and remaining values if any are left over when it ends.\nfunc f() {}\n"},
		"code shown in a long comment": {"a.go", "", "package a\n\n// F is used so:\n//\n//\tfunc main() {\n//\t\t// ... existing code ...\n//\t}\nfunc F() {}\n"},
		"in a raw string":              {"a_test.go", "", "package a\n\nconst s = `\n// ... existing code ...\n`\n"},
		"in a string":                  {"a.js", "", "const s = '// ... rest unchanged ...';\n"},
		"in a template":                {"a.ts", "", "const s = `\n// ... rest of the file unchanged ...\n`;\n"},
		"in a docstring":               {"a.py", "", "def f():\n    '''\n    # ... rest unchanged ...\n    '''\n"},
		"in a text block":              {"A.java", "", "String s = \"\"\"\n  // ... existing code ...\n  \"\"\";\n"},
		"in a fenced block":            {"README.md", "", "# Use\n\n```js\n// ... existing code ...\n... rest unchanged ...\n```\n"},
		"a heading":                    {"README.md", "", "# Existing code\n\nThe rest of the file is unchanged.\n\n... and so on.\n"},
		"prose in a document":          {"notes.txt", "", "Sure! Here is the list:\n- a\n"},
		"a fence in a document":        {"README.md", "", "```sh\nmake\n```\n"},
		"the line was there":           {"a.js", "// ... existing code ...\n", "x = 1;\n// ... existing code ...\n"},
		"it was empty":                 {"a.py", "", ""},
		"it was blank":                 {"a.py", "\n", ""},
		"a to-do in code":              {"a.go", "", "package a\n\n// TODO(x): later\n"},
		"a large file made small":      {"server.js", functions(130), "export { handlers } from './handlers.js';\n// One table now; see handlers.js.\n"},
		"a comment alone":              {"a.css", "", "/* Styles are in theme.css. */\n"},
		"YAML with a friendly key":     {"a.yaml", "", "here is: x\nsure: true\n"},
		"code that begins like speech": {"a.rb", "", "sure = true\n"},
		"a lifetime":                   {"a.rs", "", "fn f<'a>(x: &'a str) -> &'a str { x } // it's the same\n"},
		"an address":                   {"a.js", "", "// see http://x.org/...existing\nfetch('https://x.org/a')\n"},
		"bats":                         {"a.bats", "", "@test \"rest unchanged\" {\n  true\n}\n"},
		"binary":                       {"a.bin", "", "\x00// ... existing code ...\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e := Placeholder(tc.path, []byte(tc.old), []byte(tc.content)); e != nil {
				t.Errorf("honest content is refused: %v", e)
			}
		})
	}
}

// Real code is the best witness against false alarms: no file of a large part
// of the standard library may be refused, were it written anew.
func TestStandardLibraryPasses(t *testing.T) {
	t.Parallel()
	root := filepath.Join(runtime.GOROOT(), "src") //nolint:staticcheck // a test that runs where Go is
	if _, err := os.Stat(root); err != nil {
		t.Skip("the standard library's source is not here: ", err)
	}
	files := 0
	for _, dir := range []string{"encoding", "go", "net", "os", "text", "html", "database", "cmd/gofmt", "cmd/go/internal/modload"} {
		err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(dir)), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files++
			if e := Placeholder(path, nil, content); e != nil {
				t.Errorf("%s: %v", path, e)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 500 {
		t.Errorf("only %d files were looked at", files)
	}
}

// Content of the greatest size that a workspace takes must be judged at once,
// whatever it is made of.
func TestPlaceholderOnHostileContent(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for name, unit := range map[string]string{
		"open strings":    "`\\`'\\'\"\\\"",
		"open comments":   "/*",
		"short comments":  "/**/",
		"brackets":        "// ((((((((((",
		"dots":            "// ... ... ... ",
		"line ends":       "\n",
		"almost a phrase": "// the rest of the a a a a a a a a\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := []byte(strings.Repeat(unit, size/len(unit)))
			done := make(chan struct{})
			go func() {
				defer close(done)
				Placeholder("a.js", []byte("x\n"), content)
			}()
			select {
			case <-done:
			case <-time.After(30 * time.Second): // seconds on a slow machine; hours if the work were quadratic
				t.Fatal("the judgement does not come to an end")
			}
		})
	}
}
