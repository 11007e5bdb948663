package staging

import (
	"context"
	"slices"

	"github.com/writ-dev/writ"
)

// view is an Overlay as one agent run sees it.
type view struct {
	o           *Overlay
	agent, step string
}

var _ writ.Workspace = (*view)(nil)

func (v *view) Read(ctx context.Context, path string) (writ.File, error) {
	rel, err := v.o.o.Guard.JudgeRead(path)
	if err != nil {
		return writ.File{}, err
	}
	c, ok := v.o.staged(rel)
	if !ok {
		if c, ok, err = v.behindLink(rel); err != nil {
			return writ.File{}, err
		}
	}
	switch {
	case !ok:
		return v.o.o.Root.Read(ctx, rel, v.o.o.MaxRead)
	case c.AfterSHA256 == "":
		return writ.File{}, refusal(writ.CodeFileNotFound, "read", rel, "%s was deleted in this task", rel)
	}
	img, err := stored(ctx, v.o.o.Store, c.AfterSHA256, c.Mode)
	if err != nil {
		return writ.File{}, err
	}
	return writ.File{Path: rel, Content: img.content, SHA256: img.sha, Mode: uint32(img.mode), Staged: true}, nil
}

// behindLink finds the staged change of the file that a link leads to, which
// is judged like a path that was named.
func (v *view) behindLink(rel string) (writ.Change, bool, error) {
	real, err := v.o.o.Root.Resolve(rel)
	if err != nil || real == rel {
		return writ.Change{}, false, nil // the reading tells what is wrong with it
	}
	if real, err = v.o.o.Guard.JudgeRead(real); err != nil {
		return writ.Change{}, false, err
	}
	c, ok := v.o.staged(real)
	return c, ok, nil
}

func (v *view) List(ctx context.Context) ([]string, error) {
	files, err := v.o.list(ctx)
	if err != nil {
		return nil, err
	}
	// A secret file is named only to whom may read it.
	return slices.DeleteFunc(files, func(rel string) bool {
		if !v.o.o.Root.Secret(rel) {
			return false
		}
		_, err := v.o.o.Guard.JudgeRead(rel)
		return err != nil
	}), nil
}

func (v *view) Write(ctx context.Context, path string, content []byte, base string) (writ.Change, error) {
	c, err := v.o.write(ctx, v, path, content, base)
	if err != nil {
		return writ.Change{}, err
	}
	// Who wrote a file on what it was shown knows what stands there now.
	if base == "" || v.Shown(c.Path) == base {
		v.see(c.Path, c.AfterSHA256)
	}
	return c, nil
}

func (v *view) Delete(ctx context.Context, path, base string) (writ.Change, error) {
	return v.o.remove(ctx, v, path, base)
}

func (v *view) Move(ctx context.Context, from, to string) ([]writ.Change, error) {
	changes, err := v.o.move(ctx, v, from, to)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if c.AfterSHA256 != "" && v.Shown(from) == c.AfterSHA256 {
			v.see(c.Path, c.AfterSHA256)
		}
	}
	return changes, nil
}

func (v *view) MarkShown(path, sha256 string) { v.see(v.clean(path), sha256) }

func (v *view) Shown(path string) string {
	rel := v.clean(path)
	v.o.mu.Lock()
	defer v.o.mu.Unlock()
	return v.o.shown[sight{v.agent, rel}]
}

func (v *view) Request(ctx context.Context, path, reason string) error {
	if v.o.o.Extend == nil {
		return refusal(writ.CodeFileNotLocked, "request", path, "%s cannot join this task's files", path)
	}
	return v.o.o.Extend(ctx, v.agent, v.step, path, reason)
}

func (v *view) RunCommand(ctx context.Context, name string) (writ.CommandResult, error) {
	if v.o.o.Command == nil {
		return writ.CommandResult{}, refusal(writ.CodeToolUnknown, "run command", "", "no command %q is declared", name)
	}
	return v.o.o.Command(ctx, v.agent, name)
}

func (v *view) see(rel, sha256 string) {
	v.o.mu.Lock()
	defer v.o.mu.Unlock()
	v.o.shown[sight{v.agent, rel}] = sha256
}

// clean brings the spellings of one path together. A path that has no clean
// form is nobody's, and stands for itself.
func (v *view) clean(path string) string {
	if rel, err := v.o.o.Root.Clean(path); err == nil {
		return rel
	}
	return path
}
