package file_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/file"
	"github.com/writ-dev/writ/writtest"
)

const serverOld = "export function a() {}\nexport function b() {}\n"

func TestWriteFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"a.js": serverOld, "win.cs": "\ufeffclass A\r\n{\r\n}\r\n"}, "a.js", "win.cs", "new/dir/n.js")
	got := d.ok(file.WriteFile, args{"path": "new/dir/n.js", "content": "let n\nlet m\n"})
	if diff := cmp.Diff(map[string]any{"ok": true, "path": "new/dir/n.js", "op": "create", "additions": 2.0, "deletions": 0.0}, got); diff != "" {
		t.Error(diff)
	}
	d.ok(file.WriteFile, args{"path": "new/dir/n.js", "content": "let n\n"}) // its own file needs no reading
	d.content("new/dir/n.js", "let n\n")

	d.ok(file.ReadFile, args{"path": "win.cs"})
	d.ok(file.WriteFile, args{"path": "win.cs", "content": "class B\n{\n}\n"})
	d.content("win.cs", "\ufeffclass B\r\n{\r\n}\r\n")
	d.refused(writ.CodeEditNotFound, file.WriteFile, args{"path": "win.cs", "content": "class B\n{\n}\n"}, "nothing changed")
}

func TestWriteFileRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		path, content string
		read          bool
		code          writ.Code
		says          string
	}{
		"UP-067/a file that was never read":       {"a.js", "export function a() { return 1 }\n", false, writ.CodeStaleFile, "was not shown to you"},
		"UP-067/a placeholder in it besides":      {"a.js", "// ... rest unchanged ...\n", false, writ.CodeStaleFile, "was not shown to you"},
		"UP-067/emptying it":                      {"a.js", "", false, writ.CodeStaleFile, "was not shown to you"},
		"UP-067/through another spelling":         {"./a.js", "x\n", false, writ.CodeStaleFile, "was not shown to you"},
		"UP-009/a placeholder":                    {"a.js", "export function a() {}\n// ... rest unchanged ...\n", true, writ.CodeSchemaInvalid, "placeholder: line 2"},
		"UP-009/a placeholder in a new file":      {"new.js", "// ... existing code ...\n", false, writ.CodeSchemaInvalid, "placeholder: line 1"},
		"state-09/emptied":                        {"a.js", " \n", true, writ.CodeSchemaInvalid, "delete_file"},
		"state-09/a promise":                      {"new.js", "// TODO\n", false, writ.CodeSchemaInvalid, "placeholder"},
		"UP-033/fence":                            {"a.js", "```js\nlet a\n```\n", true, writ.CodeSyntaxInvalid, "fence"},
		"NUL":                                     {"a.js", "let a\x00\n", true, writ.CodeBinaryFile, "NUL"},
		"UP-113/over a binary file":               {"x.png", "text\n", false, writ.CodeBinaryFile, "binary"},
		"outside":                                 {"../a.js", "let a\n", false, writ.CodePathOutside, ""},
		"git":                                     {".git/hooks/pre-commit", "#!/bin/sh\n", false, writ.CodeProtectedPath, ""},
		"not locked":                              {"other.js", "let a\n", false, writ.CodeFileNotLocked, ""},
		"a new one that is not locked":            {"free.js", "let a\n", false, writ.CodeFileNotLocked, ""},
		"a folder":                                {"dir", "let a\n", false, writ.CodePathInvalid, ""},
		"the path is judged before a placeholder": {"free.js", "// ... existing code ...\n", false, writ.CodeFileNotLocked, ""},
		"the path is judged before staleness":     {"other.js", "", false, writ.CodeFileNotLocked, ""},
		"the path is judged before absence":       {".git/x", "", false, writ.CodeProtectedPath, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, map[string]string{"a.js": serverOld, "other.js": serverOld, "x.png": "\x89PNG\x1a\x00", "dir/b.js": "b\n"}, "a.js", "new.js", "x.png")
			if tc.read {
				d.ok(file.ReadFile, args{"path": tc.path})
			}
			d.refused(tc.code, file.WriteFile, args{"path": tc.path, "content": tc.content}, tc.says)
		})
	}
}

// The whole story of UP-009: the model repeats itself and nothing ever changes.
func TestPlaceholderNeverLands(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 130 {
		fmt.Fprintf(&b, "export function handler%03d(req, res) {\n  res.end('%d');\n}\n", i, i)
	}
	d := newDesk(t, map[string]string{"server.js": b.String()}, "server.js")
	t.Run("UP-009", func(t *testing.T) {
		d := &desk{t, d.ws, d.reg, d.role}
		for range 3 {
			d.ok(file.ReadFile, args{"path": "server.js"})
			d.refused(writ.CodeSchemaInvalid, file.WriteFile, args{"path": "server.js",
				"content": "export function handler000(req, res) {\n  res.end('0');\n}\n\n// ... the remaining handlers stay exactly as they are ...\n"},
				"placeholder: line 5", "edit_file")
		}
		d.refused(writ.CodeSchemaInvalid, file.EditFile, args{"path": "server.js",
			"edits": edits("export function handler001(req, res) {\n  res.end('1');\n}\n", "// ... existing code ...\n")}, "placeholder")
		d.content("server.js", b.String())
	})
}

func TestEditFile(t *testing.T) {
	t.Parallel()
	const calc = "def tax_a(net):\n    rate = RATES_A['full']\n    return round(net * rate, 2)\n\n\ndef tax_b(net):\n    rate = RATES_B['full']\n    return round(net * rate, 2)\n"
	for name, tc := range map[string]struct {
		old   string
		edits any
		want  string // empty: the old content
		code  writ.Code
		says  string
	}{
		"unread, exact":                        {calc, edits("def tax_b", "def tax_c"), strings.Replace(calc, "def tax_b", "def tax_c", 1), "", ""},
		"UP-011/an empty anchor":               {calc, edits("", "def extra(x):\n    return x\n"), "", writ.CodeEditNotFound, "nothing to match"},
		"UP-011/no anchor":                     {calc, []args{{"new": "x"}}, "", writ.CodeSchemaInvalid, "edits[0].old"},
		"UP-011/no edits":                      {calc, []args{}, "", writ.CodeSchemaInvalid, "edits is empty"},
		"UP-011/null":                          {calc, nil, "", writ.CodeSchemaInvalid, "edits: want an array, got null"},
		"UP-023/nearly right in two places":    {calc, edits("    rate = RATES_C['full']\n    return round(net * rate, 2)", "x"), "", writ.CodeEditNotFound, "7|     rate = RATES_B"},
		"UP-023/right in two places":           {calc, edits("    return round(net * rate, 2)", "x"), "", writ.CodeEditAmbiguous, "3| "},
		"UP-023/right but for the blank":       {calc, edits("def tax_b(net) :", "x"), "", writ.CodeEditNotFound, "only white space differs"},
		"UP-025/one of three does not match":   {calc, edits("def tax_a", "def a", "def tax_x", "def x", "def tax_b", "def b"), "", writ.CodeEditNotFound, "edit 2 of 3"},
		"UP-025/three match":                   {"a\nb\nc\n", edits("a\n", "a\na\na\n", "b", "B", "c", "C"), "a\na\na\nB\nC\n", "", ""},
		"UP-015/CRLF":                          {"a\r\nb\r\nc", edits("a\nb", "x\ny"), "x\r\ny\r\nc", "", ""},
		"UP-017/Latin-1":                       {"/* \xe9 */\nint fee = 10;\n", edits("fee = 10", "fee = 12"), "/* \xe9 */\nint fee = 12;\n", "", ""},
		"UP-017/a character that is not there": {"/* \xe9 */\nint fee = 10;\n", edits("fee = 10", "fee = 日"), "", writ.CodeSchemaInvalid, "ISO-8859-1"},
		"UP-019/mark":                          {"\ufeffusing Shop;\n", edits("using Shop;\n", "using Core;\n"), "\ufeffusing Core;\n", "", ""},
		"UP-089/edits as text":                 {"x = 1\n", `[{"old": "x = 1", "new": "x = 2"}]`, "x = 2\n", "", ""},
		"UP-113/binary":                        {"PK\x03\x04\x00", edits("PK", "x"), "", writ.CodeBinaryFile, "binary"},
		"no change":                            {calc, edits("def tax_a", "def tax_a"), "", writ.CodeEditNotFound, "nothing changed"},
		"emptied":                              {"a\n", edits("a", ""), "", writ.CodeSchemaInvalid, "emptied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, map[string]string{"calc.py": tc.old}, "calc.py")
			call := args{"path": "calc.py", "edits": tc.edits}
			if tc.code != "" {
				d.refused(tc.code, file.EditFile, call, tc.says)
				d.content("calc.py", tc.old)
				return
			}
			d.ok(file.EditFile, call)
			d.content("calc.py", tc.want)
		})
	}
}

func TestEditFileJudgesThePathFirst(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"a.py": "a\n", "b.py": "b\n"}, "a.py", "gone.py")
	for name, tc := range map[string]struct {
		path string
		code writ.Code
	}{
		"absent and locked":     {"gone.py", writ.CodeFileNotFound},
		"absent and not locked": {"free.py", writ.CodeFileNotLocked},
		"not locked, no match":  {"b.py", writ.CodeFileNotLocked},
		"locked, no match":      {"a.py", writ.CodeEditNotFound},
		"outside":               {"/etc/passwd", writ.CodePathOutside},
		"protected":             {"writ.yaml", writ.CodeProtectedPath},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			(&desk{t, d.ws, d.reg, d.role}).refused(tc.code, file.EditFile, args{"path": tc.path, "edits": edits("no match", "x")})
		})
	}
}

// A person's edit between reading and writing survives whatever the model
// sends, until it has read again.
func TestPersonsEditSurvives(t *testing.T) {
	t.Parallel()
	const old, byHand = "HOST = 'sun'\nUSERS = 10\n", "HOST = 'moon'\nUSERS = 10\n"
	whole := args{"path": "cfg.py", "content": "HOST = 'sun'\nUSERS = 20\n"}
	oldEdit := args{"path": "cfg.py", "edits": edits(old, "HOST = 'sun'\nUSERS = 20\n")}
	newEdit := args{"path": "cfg.py", "edits": edits("USERS = 10", "USERS = 20")}
	begin := func(t *testing.T) *desk {
		d := newDesk(t, map[string]string{"cfg.py": old}, "cfg.py", "new.py")
		d.ok(file.ReadFile, args{"path": "cfg.py"})
		d.ws.SetDisk("cfg.py", byHand)
		return d
	}
	t.Run("UP-065/whole file, old edit, matching edit", func(t *testing.T) {
		t.Parallel()
		d := begin(t)
		d.refused(writ.CodeStaleFile, file.WriteFile, whole, "changed on disk since you read it")
		d.refused(writ.CodeStaleFile, file.EditFile, oldEdit, "changed on disk since you read it")
		d.refused(writ.CodeStaleFile, file.EditFile, newEdit, "read_file")
		d.ok(file.ReadFile, args{"path": "cfg.py"})
		d.refused(writ.CodeEditNotFound, file.EditFile, oldEdit, "nearest lines")
		d.ok(file.EditFile, newEdit)
		d.content("cfg.py", "HOST = 'moon'\nUSERS = 20\n")
	})
	t.Run("UP-065/deleting and moving", func(t *testing.T) {
		t.Parallel()
		d := begin(t)
		d.refused(writ.CodeStaleFile, file.DeleteFile, args{"path": "cfg.py"}, "changed on disk")
		d.refused(writ.CodeStaleFile, file.MoveFile, args{"from": "cfg.py", "to": "new.py"}, "changed on disk")
		d.ok(file.ReadFile, args{"path": "cfg.py"})
		d.ok(file.MoveFile, args{"from": "cfg.py", "to": "new.py"})
		d.content("new.py", byHand)
	})
	t.Run("UP-065/a file that appears meanwhile", func(t *testing.T) {
		t.Parallel()
		d := begin(t)
		d.ws.SetDisk("new.py", "by hand\n")
		d.refused(writ.CodeStaleFile, file.WriteFile, args{"path": "new.py", "content": "x = 1\n"}, "was not shown to you")
		d.content("new.py", "by hand\n")
	})
	t.Run("UP-065/a file that goes away meanwhile", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, nil, "cfg.py")
		d.refused(writ.CodeFileNotFound, file.EditFile, newEdit)
		d.absent("cfg.py")
	})
}

func TestUnicodeNames(t *testing.T) {
	t.Parallel()
	const exact, lookAlike = "Shot 3.04\u202fPM.md", "Shot 3.04 PM.md"
	for name, tc := range map[string]struct {
		path string
		code writ.Code
	}{
		"UP-115/the exact name":        {exact, ""},
		"UP-115/a usual blank":         {lookAlike, writ.CodeFileNotFound},
		"UP-115/a no-break space":      {"Shot 3.04\u00a0PM.md", writ.CodeFileNotFound},
		"UP-115/an escape of the name": {`Shot 3.04\u202fPM.md`, writ.CodePathInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, map[string]string{exact: "light: low\n"}, exact, lookAlike, "Shot 3.04\u00a0PM.md")
			call := args{"path": tc.path, "edits": edits("light: low", "light: high")}
			if tc.code != "" {
				d.refused(tc.code, file.EditFile, call)
				d.refused(tc.code, file.ReadFile, args{"path": tc.path})
				d.content(exact, "light: low\n")
				d.absent(lookAlike)
				return
			}
			d.ok(file.ReadFile, args{"path": tc.path})
			d.ok(file.EditFile, call)
			d.content(exact, "light: high\n")
		})
	}
}

func TestDeleteAndMove(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"v1.go": "package v\n", "v2.go": "package v\n", "a.txt": "def f(:\n"}, "v1.go", "a.txt", "b.txt", "v3.go")
	d.ok(file.DeleteFile, args{"path": "v1.go"})
	d.absent("v1.go")
	d.refused(writ.CodeFileNotFound, file.DeleteFile, args{"path": "v1.go"})
	d.refused(writ.CodeFileNotLocked, file.DeleteFile, args{"path": "v2.go"})
	d.refused(writ.CodeFileNotLocked, file.DeleteFile, args{"path": "v9.go"})
	d.refused(writ.CodePathOutside, file.DeleteFile, args{"path": "/etc/passwd"})
	d.refused(writ.CodeFileNotLocked, file.MoveFile, args{"from": "v2.go", "to": "v3.go"})
	d.refused(writ.CodeFileNotLocked, file.MoveFile, args{"from": "a.txt", "to": "c.txt"})
	d.refused(writ.CodeProtectedPath, file.MoveFile, args{"from": "a.txt", "to": ".git/hooks/x"})
	d.ok(file.ReadFile, args{"path": "a.txt"})
	d.ok(file.MoveFile, args{"from": "a.txt", "to": "b.txt"})
	d.ok(file.WriteFile, args{"path": "b.txt", "content": "it was shown under its old name\n"})
	d.content("b.txt", "it was shown under its old name\n")
	d.absent("a.txt")
}

// The syntax gate's refusal passes through as it is, also for a move that gives
// a file a new language.
func TestSyntaxGateIsTold(t *testing.T) {
	t.Parallel()
	d := newDeskWith(t, writtest.WorkspaceOptions{
		Files: map[string]string{"a.txt": "def f(:\n"}, Locked: []string{"a.txt", "tool.py"},
		Syntax: func(path string, content []byte) error {
			if strings.HasSuffix(path, ".py") && strings.Contains(string(content), "(:") {
				return &writ.Error{Code: writ.CodeSyntaxInvalid, Path: path, Msg: path + ":1:7: invalid syntax"}
			}
			return nil
		},
	})
	d.refused(writ.CodeSyntaxInvalid, file.WriteFile, args{"path": "tool.py", "content": "def f(:\n"}, "tool.py:1:7")
	t.Run("state-11/renamed into code", func(t *testing.T) {
		(&desk{t, d.ws, d.reg, d.role}).refused(writ.CodeSyntaxInvalid, file.MoveFile, args{"from": "a.txt", "to": "tool.py"}, "tool.py:1:7")
	})
	d.ok(file.WriteFile, args{"path": "tool.py", "content": "def f():\n    pass\n"})
}

func TestRequestFileAndRunCommand(t *testing.T) {
	t.Parallel()
	var reasons []string
	d := newDeskWith(t, writtest.WorkspaceOptions{
		Commands: map[string]writ.CommandResult{
			"test": {ExitCode: 1, Tests: &writ.TestCounts{Run: 2, Passed: 1, Failed: 1}, Output: "begin" + strings.Repeat("\xff é", 20_000) + "FAIL"},
		},
		Grant: func(path, reason string) error {
			reasons = append(reasons, path+": "+reason)
			if path != "a.go" {
				return errors.Join(&writ.Error{Code: writ.CodeFileNotLocked, Path: path, Msg: "not granted"})
			}
			return nil
		},
	})
	d.refused(writ.CodeFileNotLocked, file.WriteFile, args{"path": "a.go", "content": "package a\n"})
	d.refused(writ.CodeSchemaInvalid, file.RequestFile, args{"path": "a.go", "reason": " "}, "reason is empty")
	d.refused(writ.CodeFileNotLocked, file.RequestFile, args{"path": "b.go", "reason": "why not"})
	d.ok(file.RequestFile, args{"path": "a.go", "reason": "it is new"})
	d.ok(file.WriteFile, args{"path": "a.go", "content": "package a\n"})
	if diff := cmp.Diff([]string{"b.go: why not", "a.go: it is new"}, reasons); diff != "" {
		t.Error(diff)
	}

	got := d.ok(file.RunCommand, args{"name": "test"})
	output := got["output"].(string)
	if got["passed"] != false || got["exit_code"] != 1.0 || len(output) > 16<<10 ||
		!strings.HasPrefix(output, "begin") || !strings.HasSuffix(output, "FAIL") || !strings.Contains(output, "left out") {
		t.Errorf("run_command gave passed %v, exit code %v and %d bytes", got["passed"], got["exit_code"], len(output))
	}
	if diff := cmp.Diff(map[string]any{"run": 2.0, "passed": 1.0, "failed": 1.0, "skipped": 0.0}, got["tests"]); diff != "" {
		t.Error(diff)
	}
	d.refused(writ.CodeToolUnknown, file.RunCommand, args{"name": "rm -rf /"})
}
