package writtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/writ-dev/writ"
)

// WorkspaceDir is where a [Workspace] pretends to stand: an absolute path below
// it is taken as its relative form.
const WorkspaceDir = "/workspace"

// WorkspaceOptions describe a [Workspace]. The zero value is an empty one in
// which nothing may be written.
type WorkspaceOptions struct {
	Files    map[string]string // what stands on the disk, by clean relative path
	Locked   []string          // the lock set
	Commands map[string]writ.CommandResult
	// Syntax is the syntax gate; nil lets everything pass.
	Syntax func(path string, content []byte) error
	// Grant answers Request; nil refuses with FILE_NOT_LOCKED.
	Grant func(path, reason string) error
}

// Workspace is a [writ.Workspace] in memory for tests of tools and agents. It
// judges paths in the contract's order, demands the right base for each write,
// stages instead of writing, and remembers what was shown, like the real one.
// Its path rules are the plain ones (inside, no "..", no control characters,
// git's folder and writ.yaml protected); the real guard knows many more. It is
// for one agent and safe for concurrent use.
type Workspace struct {
	o WorkspaceOptions

	mu     sync.Mutex
	disk   map[string][]byte
	staged map[string]staged
	locked map[string]bool
	shown  map[string]string
}

// staged is the present version of a file that the task changed; a nil content
// is its removal.
type staged struct {
	before, content []byte
	from            string
}

var _ writ.Workspace = (*Workspace)(nil)

// NewWorkspace returns a Workspace that holds copies of the given files.
func NewWorkspace(o WorkspaceOptions) *Workspace {
	w := &Workspace{
		o:      o,
		disk:   make(map[string][]byte),
		staged: make(map[string]staged),
		locked: make(map[string]bool),
		shown:  make(map[string]string),
	}
	for name, content := range o.Files {
		w.disk[name] = []byte(content)
	}
	for _, name := range o.Locked {
		w.locked[name] = true
	}
	return w
}

// SetDisk writes a file as a person would, past all rules.
func (w *Workspace) SetDisk(name, content string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.disk[name] = []byte(content)
}

// Content returns the present content of a file, and whether it exists.
func (w *Workspace) Content(name string) (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	content := w.present(name)
	return string(content), content != nil
}

// Changes lists what is staged, sorted by path.
func (w *Workspace) Changes() []writ.Change {
	w.mu.Lock()
	defer w.mu.Unlock()
	changes := make([]writ.Change, 0, len(w.staged))
	for name := range w.staged {
		changes = append(changes, w.change(name))
	}
	slices.SortFunc(changes, func(a, b writ.Change) int { return strings.Compare(a.Path, b.Path) })
	return changes
}

// Read returns the present content.
func (w *Workspace) Read(ctx context.Context, name string) (writ.File, error) {
	if err := ctx.Err(); err != nil {
		return writ.File{}, fmt.Errorf("read file: %w", err)
	}
	rel, err := clean(name)
	if err != nil {
		return writ.File{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	content := w.present(rel)
	if content == nil {
		if w.isFolder(rel) {
			return writ.File{}, refuse(writ.CodePathInvalid, rel, "is a folder")
		}
		return writ.File{}, refuse(writ.CodeFileNotFound, rel, "does not exist")
	}
	_, isStaged := w.staged[rel]
	return writ.File{Path: rel, Content: bytes.Clone(content), SHA256: hash(content), Mode: 0o644, Staged: isStaged}, nil
}

// List returns all files with the staged changes laid over, sorted.
func (w *Workspace) List(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	names := []string{}
	for name := range w.disk {
		if _, changed := w.staged[name]; !changed {
			names = append(names, name)
		}
	}
	for name, s := range w.staged {
		if s.content != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Write stages content as the whole of a file.
func (w *Workspace) Write(ctx context.Context, name string, content []byte, base string) (writ.Change, error) {
	if err := ctx.Err(); err != nil {
		return writ.Change{}, fmt.Errorf("write file: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	rel, err := w.target(name)
	if err != nil {
		return writ.Change{}, err
	}
	if hash(w.present(rel)) != base {
		return writ.Change{}, refuse(writ.CodeStaleFile, rel, "changed since it was read")
	}
	if err := w.gate(rel, content); err != nil {
		return writ.Change{}, err
	}
	if content == nil {
		content = []byte{} // nil stands for a removal
	}
	return w.stage(rel, content, ""), nil
}

// Delete stages the removal of a file.
func (w *Workspace) Delete(ctx context.Context, name, base string) (writ.Change, error) {
	if err := ctx.Err(); err != nil {
		return writ.Change{}, fmt.Errorf("delete file: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	rel, err := w.target(name)
	if err != nil {
		return writ.Change{}, err
	}
	present := w.present(rel)
	switch {
	case present == nil:
		return writ.Change{}, refuse(writ.CodeFileNotFound, rel, "does not exist")
	case hash(present) != base:
		return writ.Change{}, refuse(writ.CodeStaleFile, rel, "changed since it was read")
	default:
		return w.stage(rel, nil, ""), nil
	}
}

// Move stages the content of from under to.
func (w *Workspace) Move(ctx context.Context, from, to string) ([]writ.Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("move file: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	source, err := w.target(from)
	if err != nil {
		return nil, err
	}
	rel, err := w.target(to)
	if err != nil {
		return nil, err
	}
	content := w.present(source)
	if content == nil {
		return nil, refuse(writ.CodeFileNotFound, source, "does not exist")
	}
	if w.present(rel) != nil {
		return nil, refuse(writ.CodeStaleFile, rel, "already exists")
	}
	if err := w.gate(rel, content); err != nil {
		return nil, err
	}
	return []writ.Change{w.stage(rel, content, source), w.stage(source, nil, "")}, nil
}

// MarkShown records that the agent was shown a file.
func (w *Workspace) MarkShown(name, sha256 string) {
	rel, err := clean(name)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shown[rel] = sha256
}

// Shown returns the hash that the agent was last shown.
func (w *Workspace) Shown(name string) string {
	rel, err := clean(name)
	if err != nil {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shown[rel]
}

// Request adds a file to the lock set if Grant lets it.
func (w *Workspace) Request(ctx context.Context, name, reason string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("request file: %w", err)
	}
	rel, err := clean(name)
	if err != nil {
		return err
	}
	if protected(rel) {
		return refuse(writ.CodeProtectedPath, rel, "is protected")
	}
	if w.o.Grant == nil {
		return refuse(writ.CodeFileNotLocked, rel, "was not granted")
	}
	if err := w.o.Grant(rel, reason); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.locked[rel] = true
	return nil
}

// RunCommand returns the result that the options give for a command.
func (w *Workspace) RunCommand(ctx context.Context, name string) (writ.CommandResult, error) {
	if err := ctx.Err(); err != nil {
		return writ.CommandResult{}, fmt.Errorf("run command: %w", err)
	}
	result, ok := w.o.Commands[name]
	if !ok {
		return writ.CommandResult{}, &writ.Error{Code: writ.CodeToolUnknown, Msg: fmt.Sprintf("no command %q is declared", name)}
	}
	return result, nil
}

// target judges a path that is to be written.
func (w *Workspace) target(name string) (string, error) {
	rel, err := clean(name)
	switch {
	case err != nil:
		return "", err
	case w.isFolder(rel):
		return "", refuse(writ.CodePathInvalid, rel, "is a folder")
	case protected(rel):
		return "", refuse(writ.CodeProtectedPath, rel, "is protected")
	case !w.locked[rel]:
		return "", refuse(writ.CodeFileNotLocked, rel, "is not in the lock set of this task")
	default:
		return rel, nil
	}
}

func (w *Workspace) gate(rel string, content []byte) error {
	if w.o.Syntax == nil {
		return nil
	}
	return w.o.Syntax(rel, content)
}

// present is the content as the task sees it, nil for none.
func (w *Workspace) present(rel string) []byte {
	if s, ok := w.staged[rel]; ok {
		return s.content
	}
	return w.disk[rel]
}

func (w *Workspace) isFolder(rel string) bool {
	for name := range w.disk {
		if strings.HasPrefix(name, rel+"/") {
			return true
		}
	}
	return false
}

// stage makes content the present version; the original content is no change.
func (w *Workspace) stage(rel string, content []byte, from string) writ.Change {
	s, again := w.staged[rel]
	if !again {
		s.before = w.disk[rel]
	}
	s.content, s.from = content, from
	w.staged[rel] = s
	change := w.change(rel)
	if change.BeforeSHA256 == change.AfterSHA256 {
		delete(w.staged, rel)
	}
	return change
}

func (w *Workspace) change(rel string) writ.Change {
	s := w.staged[rel]
	c := writ.Change{
		Path: rel, Op: writ.OpModify, Status: writ.ChangeStaged, From: s.from,
		BeforeSHA256: hash(s.before), AfterSHA256: hash(s.content),
	}
	switch {
	case s.content == nil:
		c.Op = writ.OpDelete
	case s.from != "":
		c.Op = writ.OpMove
	case s.before == nil:
		c.Op = writ.OpCreate
	default:
	}
	c.Additions, c.Deletions = changedLines(string(s.before), string(s.content))
	return c
}

// changedLines counts what lies between the lines that both texts begin and
// end with: exact for one place of change, an upper bound for more.
func changedLines(before, after string) (additions, deletions int) {
	old, now := lines(before), lines(after)
	for len(old) > 0 && len(now) > 0 && old[0] == now[0] {
		old, now = old[1:], now[1:]
	}
	for len(old) > 0 && len(now) > 0 && old[len(old)-1] == now[len(now)-1] {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	return len(now), len(old)
}

func lines(text string) []string {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// clean judges a path by its name.
func clean(name string) (string, error) {
	rel := name
	if rest, ok := strings.CutPrefix(name, WorkspaceDir+"/"); ok {
		rel = rest
	}
	switch {
	case rel == "":
		return "", refuse(writ.CodePathInvalid, name, "names no file")
	case strings.HasPrefix(rel, "/"), strings.HasPrefix(rel, "~"), strings.Contains(rel, "://"),
		path.Clean(rel) == "..", strings.HasPrefix(path.Clean(rel), "../"):
		return "", refuse(writ.CodePathOutside, name, "is outside the workspace")
	case strings.Contains(rel, `\`), strings.Contains(rel, ".."), strings.ContainsFunc(rel, unicode.IsControl), path.Clean(rel) == ".":
		return "", refuse(writ.CodePathInvalid, name, "is no plain relative path")
	default:
		return path.Clean(rel), nil
	}
}

func protected(rel string) bool {
	folded := strings.ToLower(rel)
	if folded == "writ.yaml" || strings.HasPrefix(folded, ".writ/") {
		return true
	}
	return slices.Contains(strings.Split(folded, "/"), ".git")
}

func refuse(code writ.Code, name, why string) *writ.Error {
	return &writ.Error{Code: code, Path: name, Msg: fmt.Sprintf("%q %s", name, why)}
}

func hash(content []byte) string {
	if content == nil {
		return ""
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
