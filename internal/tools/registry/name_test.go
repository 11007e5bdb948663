package registry_test

import (
	"strings"
	"testing"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/registry"
)

func TestToolNames(t *testing.T) {
	t.Parallel()
	r := newRegistry(t,
		fake{spec: spec("read_file")}, fake{spec: spec("list_files")}, fake{spec: spec("write_file")},
		fake{spec: spec("move")}, fake{spec: spec("docs__get1")}, fake{spec: spec("docs__search")},
		fake{spec: spec("tool_one")}, fake{spec: spec("tool_ona")})
	role := registry.Role{Agent: "qa", Allowed: []string{
		"read_file", "list_files", "move", "docs__get1", "docs__search", "tool_one", "tool_ona", "not_registered",
	}}
	for name, tc := range map[string]struct {
		call string
		want string // the tool that runs
		code writ.Code
		says string
	}{
		"exact":                        {call: "read_file", want: "read_file"},
		"case":                         {call: "Read_File", want: "read_file"},
		"dashes":                       {call: "read-file", want: "read_file"},
		"prefix":                       {call: "functions.read_file", want: "read_file"},
		"prefix of tools":              {call: "tools.list_files", want: "list_files"},
		"blanks around":                {call: " read_file\n", want: "read_file"},
		"a letter too few":             {call: "list_file", want: "list_files"},
		"a letter too many":            {call: "readd_file", want: "read_file"},
		"a wrong letter":               {call: "read_fila", want: "read_file"},
		"two letters":                  {call: "raed_fiel", code: writ.CodeToolUnknown, says: "read_file"},
		"one letter off two tools":     {call: "tool_onu", code: writ.CodeToolUnknown, says: "did you mean"},
		"short names are not guessed":  {call: "mova", code: writ.CodeToolUnknown},
		"digits are not guessed":       {call: "docs__get2", code: writ.CodeToolUnknown},
		"other servers' are not":       {call: "docs__serch", code: writ.CodeToolUnknown, says: "docs__search"},
		"denied":                       {call: "write_file", code: writ.CodeToolDenied, says: "qa"},
		"denied in another spelling":   {call: "functions.Write-File", code: writ.CodeToolDenied, says: "write_file"},
		"a denied name is not guessed": {call: "write_fil", code: writ.CodeToolUnknown},
		"a shell":                      {call: "bash", code: writ.CodeToolUnknown, says: "your tools are"},
		"allowed but not registered":   {call: "not_registered", code: writ.CodeToolUnknown},
		"empty":                        {call: "", code: writ.CodeToolUnknown},
		"hostile":                      {call: strings.Repeat("x\x1b", 100000), code: writ.CodeToolUnknown, says: `\x1b`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, refused := call(t, r, role, tc.call, `{}`)
			if tc.code == "" {
				if refused != nil || res.Tool != tc.want {
					t.Errorf("called %q, %v, want %q", res.Tool, refused, tc.want)
				}
				return
			}
			if refused == nil || refused.Code != tc.code || !strings.Contains(res.Error.Message, tc.says) {
				t.Errorf("result = %+v, want %s that says %q", res, tc.code, tc.says)
			}
			if len(res.Error.Message) > 2000 || strings.Contains(res.Error.Message, "\x1b") {
				t.Errorf("the message is not fit to be shown: %q", res.Error.Message)
			}
		})
	}
}
