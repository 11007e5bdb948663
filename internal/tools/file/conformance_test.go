package file_test

import (
	"testing"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/file"
	"github.com/writ-dev/writ/writtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	calls := map[string][]string{
		file.ReadFile:    {`{"path":"a.go"}`, `{"path":"a.go","offset":1,"limit":1}`},
		file.ListFiles:   {`{}`, `{"path":"dir","glob":"*.go"}`},
		file.SearchText:  {`{"pattern":"package"}`},
		file.WriteFile:   {`{"path":"new.go","content":"package n\n"}`},
		file.EditFile:    {`{"path":"a.go","edits":[{"old":"package a","new":"package b"}]}`},
		file.DeleteFile:  {`{"path":"a.go"}`},
		file.MoveFile:    {`{"from":"a.go","to":"new.go"}`},
		file.RequestFile: {`{"path":"x.go","reason":"it is needed"}`},
		file.RunCommand:  {`{"name":"test"}`},
	}
	tools, err := file.Tools()
	if err != nil {
		t.Fatal(err)
	}
	if len(tools) != len(file.Coding()) {
		t.Fatalf("%d tools, want %d", len(tools), len(file.Coding()))
	}
	for i, tool := range tools {
		name := tool.Spec().Name
		if name != file.Coding()[i] {
			t.Errorf("tool %d is %s, want %s", i, name, file.Coding()[i])
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			writtest.TestTool(t, writtest.ToolCase{Tool: tool, Args: calls[name], Workspace: func() *writtest.Workspace {
				return writtest.NewWorkspace(writtest.WorkspaceOptions{
					Files:    map[string]string{"a.go": "package a\n", "dir/b.go": "package b\n"},
					Locked:   []string{"a.go", "new.go"},
					Commands: map[string]writ.CommandResult{"test": {ExitCode: 1, Output: "FAIL"}},
					Grant:    func(string, string) error { return nil },
				})
			}})
		})
	}
}

// A role's requests carry every description and schema each time.
func TestToolsAreShortToDescribe(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	size := 0
	for _, tool := range d.reg.ModelTools(file.Coding()) {
		size += len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	if size > 5000 {
		t.Errorf("the Coder's tools take %d bytes, want at most 5000", size)
	}
}

func TestToolsNeedAWorkspace(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	_, refused, err := d.reg.Call(t.Context(), d.role, writ.Invocation{Tool: file.ListFiles})
	if err != nil || refused == nil || refused.Code != writ.CodeToolDenied {
		t.Errorf("Call = %v, %v, want TOOL_DENIED", refused, err)
	}
}
