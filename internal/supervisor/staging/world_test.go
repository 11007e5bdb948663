package staging

import (
	"context"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/eventbus"
	"github.com/writ-dev/writ/internal/infra/journal"
	"github.com/writ-dev/writ/internal/infra/store"
	"github.com/writ-dev/writ/internal/tools/guard"
)

const testTask = "t_01JTESTTESTTESTTESTTEST00"

// world is a workspace with a task on it, over the real guard, store and
// journal.
type world struct {
	t       *testing.T
	dir     string
	root    *guard.Root
	locks   *guard.LockSet
	store   *store.Store
	journal *journal.Journal
	ledger  Ledger
	overlay *Overlay
	applier *Applier
}

// newWorld makes a workspace of the files; every one of them and every lock is
// in the lock set.
func newWorld(t *testing.T, files map[string]string, locks ...string) *world {
	t.Helper()
	dir := t.TempDir()
	for rel, content := range files {
		writeFile(t, filepath.Join(dir, rel), content)
		locks = append(locks, rel)
	}
	return openWorld(t, dir, t.TempDir(), locks...)
}

// openWorld opens a workspace and a state folder, as each process does anew.
func openWorld(t *testing.T, dir, state string, locks ...string) *world {
	t.Helper()
	w := &world{t: t, dir: dir, root: openRoot(t, dir), locks: guard.NewLockSet(locks...)}
	var err error
	if w.store, err = store.Open(t.Context(), store.Options{Dir: state, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.store.Close() })
	w.createTask()
	w.journal = journal.New(w.store, eventbus.New(), journal.Options{Now: time.Now})
	w.ledger = w.journal.Task(testTask)
	w.overlay = w.open()
	w.applier = w.applierOn(w.root)
	return w
}

func openRoot(t *testing.T, dir string, opts ...guard.Option) *guard.Root {
	t.Helper()
	policy, err := guard.NewPolicy(guard.PolicyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	root, err := guard.OpenRoot(dir, policy, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// createTask makes the task's row unless it is there.
func (w *world) createTask() {
	w.t.Helper()
	ctx := w.t.Context()
	if _, err := w.store.Task(ctx, testTask); err == nil {
		return
	}
	project, err := w.store.Project(ctx, w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	task := &writ.Task{ID: testTask, ProjectID: project, Workspace: w.dir, State: writ.StateExec, CreatedAt: time.Unix(1, 0)}
	if err := w.store.Write(ctx, func(tx *store.Tx) error { return tx.CreateTask(task) }); err != nil {
		w.t.Fatal(err)
	}
}

// open loads the manifest, as a new process does.
func (w *world) open() *Overlay {
	w.t.Helper()
	o, err := Open(w.t.Context(), Options{
		Task: testTask, Root: w.root, Guard: &guard.Guard{Root: w.root, Locks: w.locks}, Ledger: w.ledger, Store: w.store,
		Syntax: checkSyntax, List: w.list,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

func (w *world) applierOn(disk ApplyDisk) *Applier {
	w.t.Helper()
	a, err := NewApplier(ApplierOptions{Store: w.store, Root: disk, Ledger: func(string) Ledger { return w.ledger }})
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// list walks the workspace.
func (w *world) list(context.Context) ([]string, error) {
	var files []string
	err := filepath.WalkDir(w.dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(w.dir, p)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	return files, err
}

// checkSyntax knows Go and JSON, which need no other program.
func checkSyntax(_ context.Context, path string, content []byte) writ.Syntax {
	s := writ.Syntax{Path: path, Verdict: writ.VerdictUnknown}
	switch filepath.Ext(path) {
	case ".json":
		s.Verdict, s.Checker = writ.VerdictValid, "json"
		if !json.Valid(content) {
			s.Verdict, s.Line, s.Column, s.Message = writ.VerdictInvalid, 1, 2, "not JSON"
		}
	case ".go":
		s.Verdict, s.Checker = writ.VerdictValid, "go"
		if _, err := parser.ParseFile(token.NewFileSet(), path, content, parser.SkipObjectResolution); err != nil {
			s.Verdict, s.Line, s.Column, s.Message = writ.VerdictInvalid, 1, 1, err.Error()
		}
	case ".sus":
		s.Verdict, s.Checker, s.Message = writ.VerdictSuspect, "guess", "looks odd"
	}
	return s
}

// coder is the view of an agent that was shown everything.
func (w *world) coder() writ.Workspace { return w.overlay.View("coder", "s1") }

// write stages content over whatever the task sees at path now.
func (w *world) write(path, content string) writ.Change {
	w.t.Helper()
	c, err := w.coder().Write(w.t.Context(), path, []byte(content), w.seen(path))
	if err != nil {
		w.t.Fatalf("write %s: %v", path, err)
	}
	return c
}

func (w *world) delete(path string) {
	w.t.Helper()
	if _, err := w.coder().Delete(w.t.Context(), path, w.seen(path)); err != nil {
		w.t.Fatalf("delete %s: %v", path, err)
	}
}

// seen is the hash of what the task sees at path, empty when it is absent.
func (w *world) seen(path string) string {
	w.t.Helper()
	f, err := w.coder().Read(w.t.Context(), path)
	if err != nil && writ.CodeOf(err) != writ.CodeFileNotFound {
		w.t.Fatalf("read %s: %v", path, err)
	}
	return f.SHA256
}

// disk is every file of the workspace with its content, and each folder that
// is empty as "name/".
func (w *world) disk() map[string]string {
	w.t.Helper()
	return readTree(w.t, w.dir)
}

func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if d.IsDir() {
			if entries, _ := os.ReadDir(p); len(entries) == 0 && rel != "." {
				tree[filepath.ToSlash(rel)+"/"] = ""
			}
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(p)
			tree[filepath.ToSlash(rel)] = "-> " + target
			return err
		}
		content, err := os.ReadFile(p)
		tree[filepath.ToSlash(rel)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// status is the status of each change in the store.
func (w *world) status() map[string]writ.ChangeStatus {
	w.t.Helper()
	changes, err := w.store.Changes(w.t.Context(), testTask)
	if err != nil {
		w.t.Fatal(err)
	}
	got := map[string]writ.ChangeStatus{}
	for _, c := range changes {
		got[c.Path] = c.Status
	}
	return got
}

// events are the committed change events as "type path".
func (w *world) events() []string {
	w.t.Helper()
	events, err := w.store.Events(w.t.Context(), testTask, 0, 10_000)
	if err != nil {
		w.t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		var data changeEvent
		if strings.HasPrefix(string(e.Type), "change.") && json.Unmarshal(e.Data, &data) == nil {
			got = append(got, string(e.Type)+" "+data.Path)
		}
	}
	return got
}

// codes are the refusals of an outcome as "CODE path".
func codes(out Outcome) []string {
	var got []string
	for _, d := range out.Denials {
		got = append(got, string(d.Code)+" "+d.Path)
	}
	return got
}

func wantCode(t *testing.T, err error, code writ.Code) {
	t.Helper()
	if got := writ.CodeOf(err); got != code {
		t.Fatalf("error is %q (%v), want %q", got, err, code)
	}
}

// wantIO is the error of a pass that the disk ended: one line, for a person.
func wantIO(t *testing.T, err error, cause error) {
	t.Helper()
	var e *writ.Error
	if !errors.As(err, &e) || e.Code != writ.CodeInternal || !errors.Is(err, cause) || strings.Contains(e.Error(), "\n") {
		t.Fatalf("error is %v, want one line with code INTERNAL that wraps %v", err, cause)
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w *world) edit(rel, content string) {
	w.t.Helper()
	writeFile(w.t, filepath.Join(w.dir, rel), content)
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func sorted(lines ...string) []string { slices.Sort(lines); return lines }
