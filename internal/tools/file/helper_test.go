package file_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/file"
	"github.com/writ-dev/writ/internal/tools/registry"
	"github.com/writ-dev/writ/writtest"
)

// desk is a Coder with its tools and a workspace, called as the loop calls.
type desk struct {
	t    *testing.T
	ws   *writtest.Workspace
	reg  *registry.Registry
	role registry.Role
}

func newDesk(t *testing.T, files map[string]string, locked ...string) *desk {
	t.Helper()
	return newDeskWith(t, writtest.WorkspaceOptions{Files: files, Locked: locked})
}

func newDeskWith(t *testing.T, o writtest.WorkspaceOptions) *desk {
	t.Helper()
	tools, err := file.Tools()
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(registry.Options{})
	if err := reg.RegisterAll(tools); err != nil {
		t.Fatal(err)
	}
	return &desk{t: t, ws: writtest.NewWorkspace(o), reg: reg, role: registry.Role{Agent: "coder", Allowed: file.Coding()}}
}

// call makes a call and returns the result as the model sees it.
func (d *desk) call(tool string, args any) (map[string]any, *writ.Error) {
	d.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		d.t.Fatal(err)
	}
	out, refused, err := d.reg.Call(d.t.Context(), d.role, writ.Invocation{Tool: tool, Args: raw, Workspace: d.ws})
	if err != nil {
		d.t.Fatalf("%s %s = %v", tool, raw, err)
	}
	var result map[string]any
	if err := json.Unmarshal(out, &result); err != nil {
		d.t.Fatalf("%s %s gave no JSON: %v\n%s", tool, raw, err, out)
	}
	return result, refused
}

func (d *desk) ok(tool string, args any) map[string]any {
	d.t.Helper()
	result, refused := d.call(tool, args)
	if refused != nil {
		d.t.Fatalf("%s %v = %s: %v: %s", tool, args, refused.Code, refused, refused.Advice())
	}
	return result
}

// refused makes a call that must be refused and says so.
func (d *desk) refused(code writ.Code, tool string, args any, says ...string) {
	d.t.Helper()
	before := d.ws.Changes()
	_, refused := d.call(tool, args)
	if refused == nil || refused.Code != code {
		d.t.Fatalf("%s %v = %v, want %s", tool, args, refused, code)
	}
	for _, want := range says {
		if text := refused.Error() + ": " + refused.Advice(); !strings.Contains(text, want) {
			d.t.Errorf("the refusal does not say %q: %s", want, text)
		}
	}
	if diff := cmp.Diff(before, d.ws.Changes()); diff != "" {
		d.t.Errorf("a refused call staged something:\n%s", diff)
	}
}

func (d *desk) content(path, want string) {
	d.t.Helper()
	got, exists := d.ws.Content(path)
	if !exists {
		d.t.Fatalf("%s does not exist", path)
	}
	if diff := cmp.Diff([]byte(want), []byte(got)); diff != "" {
		d.t.Errorf("%s:\n%s", path, diff)
	}
}

func (d *desk) absent(path string) {
	d.t.Helper()
	if got, exists := d.ws.Content(path); exists {
		d.t.Errorf("%s exists: %q", path, got)
	}
}

type args map[string]any

func edits(pairs ...string) []args {
	var list []args
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, args{"old": pairs[i], "new": pairs[i+1]})
	}
	return list
}
