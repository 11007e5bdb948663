package staging

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/writ-dev/writ"
)

// write stages content as the whole of path; base is the hash that the content
// was built on.
func (o *Overlay) write(ctx context.Context, v *view, path string, content []byte, base string) (writ.Change, error) {
	o.writing.Lock()
	defer o.writing.Unlock()
	rel, err := o.target("write", path)
	if err != nil {
		return writ.Change{}, err
	}
	if int64(len(content)) > o.o.MaxFile {
		return writ.Change{}, refusal(writ.CodeTooLarge, "write", rel, "%s would have %d bytes, the limit is %d", rel, len(content), o.o.MaxFile)
	}
	now, err := o.at(ctx, "write", rel, base)
	if err != nil {
		return writ.Change{}, err
	}
	before, err := o.origin(ctx, rel, now)
	if err != nil {
		return writ.Change{}, err
	}
	after := imageOf(content, keptMode(now, before))
	if err := o.admit(ctx, v, rel, before, now, after); err != nil {
		return writ.Change{}, err
	}
	d := o.draft(v)
	c := d.put(rel, before, after, "")
	return c, d.commit(ctx)
}

// remove stages the deletion of path.
func (o *Overlay) remove(ctx context.Context, v *view, path, base string) (writ.Change, error) {
	o.writing.Lock()
	defer o.writing.Unlock()
	rel, err := o.target("delete", path)
	if err != nil {
		return writ.Change{}, err
	}
	now, err := o.existing(ctx, "delete", rel)
	if err != nil {
		return writ.Change{}, err
	}
	if now.sha != base {
		return writ.Change{}, stale("delete", rel)
	}
	before, err := o.origin(ctx, rel, now)
	if err != nil {
		return writ.Change{}, err
	}
	d := o.draft(v)
	c := d.put(rel, before, image{}, "")
	return c, d.commit(ctx)
}

// move stages the content of from under to, and the deletion of from. The
// syntax gate judges the content anew, since the name decides its language.
func (o *Overlay) move(ctx context.Context, v *view, from, to string) ([]writ.Change, error) {
	o.writing.Lock()
	defer o.writing.Unlock()
	source, err := o.target("move", from)
	if err != nil {
		return nil, err
	}
	rel, err := o.target("move", to)
	if err != nil {
		return nil, err
	}
	content, err := o.existing(ctx, "move", source)
	if err != nil {
		return nil, err
	}
	now, err := o.at(ctx, "move", rel, "")
	if err != nil {
		return nil, err
	}
	sourceBefore, err := o.origin(ctx, source, content)
	if err != nil {
		return nil, err
	}
	before, err := o.origin(ctx, rel, now)
	if err != nil {
		return nil, err
	}
	if err := o.gate(ctx, v, rel, before, content, named{source, sourceBefore}); err != nil {
		return nil, err
	}
	d := o.draft(v)
	gone := d.put(source, sourceBefore, image{}, "")
	came := d.put(rel, before, content, o.wellspring(source, sourceBefore))
	return []writ.Change{came, gone}, d.commit(ctx)
}

// wellspring is the workspace path that a moved file comes from: the source
// itself, or where the source was moved from, or nothing when the task made it.
func (o *Overlay) wellspring(source string, before image) string {
	if before.exists() {
		return source
	}
	c, _ := o.staged(source)
	return c.From
}

// Stage stages what a declared command wrote to a file of the lock set: the
// content, or nil for a file that it removed. It is judged like a write, but
// the syntax gate is left to the verification, which can tell the model what
// its command produced. A mode of 0 keeps the mode.
func (o *Overlay) Stage(ctx context.Context, agent, step, path string, content []byte, mode fs.FileMode) (writ.Change, error) {
	o.writing.Lock()
	defer o.writing.Unlock()
	rel, err := o.target("stage", path)
	if err != nil {
		return writ.Change{}, err
	}
	if int64(len(content)) > o.o.MaxFile {
		return writ.Change{}, refusal(writ.CodeTooLarge, "stage", rel, "%s has %d bytes, the limit is %d", rel, len(content), o.o.MaxFile)
	}
	now, _, err := o.present(ctx, rel)
	if err != nil {
		return writ.Change{}, err
	}
	before, err := o.origin(ctx, rel, now)
	if err != nil {
		return writ.Change{}, err
	}
	after := image{}
	if content != nil {
		if mode == 0 {
			mode = keptMode(now, before)
		}
		after = imageOf(content, mode.Perm())
	}
	d := o.draft(&view{o: o, agent: agent, step: step})
	c := d.put(rel, before, after, "")
	return c, d.commit(ctx)
}

// Revert drops the staged change of path, so that the file is again what it
// was when the task first touched it. A path without a change is left alone.
func (o *Overlay) Revert(ctx context.Context, path string) error {
	o.writing.Lock()
	defer o.writing.Unlock()
	rel, err := o.o.Root.Clean(path)
	if err != nil {
		return err
	}
	c, ok := o.staged(rel)
	if !ok {
		return nil
	}
	before, err := stored(ctx, o.o.Store, c.BeforeSHA256, c.BeforeMode)
	if err != nil {
		return err
	}
	d := o.draft(&view{o: o, step: c.Step})
	d.put(rel, before, before, "")
	return d.commit(ctx)
}

// existing returns the present version of a file that must be there.
func (o *Overlay) existing(ctx context.Context, op, rel string) (image, error) {
	now, _, err := o.present(ctx, rel)
	if err != nil {
		return image{}, err
	}
	if !now.exists() {
		return image{}, refusal(writ.CodeFileNotFound, op, rel, "%s does not exist", rel)
	}
	return now, nil
}

// at returns the present version of a file that must have the given hash.
func (o *Overlay) at(ctx context.Context, op, rel, base string) (image, error) {
	now, _, err := o.present(ctx, rel)
	if err != nil {
		return image{}, err
	}
	if now.sha == base {
		return now, nil
	}
	if base == "" {
		return image{}, &writ.Error{Code: writ.CodeStaleFile, Op: op, Path: rel, Msg: fmt.Sprintf("%s already exists", rel),
			Hint: "read the file and build on its content, or choose another name"}
	}
	return image{}, stale(op, rel)
}

// keptMode is the mode that a write leaves: the present one, else the one that
// the file had before the task deleted it, else that of a new file.
func keptMode(now, before image) fs.FileMode {
	switch {
	case now.exists():
		return now.mode
	case before.exists():
		return before.mode
	default:
		return newFileMode
	}
}

func stale(op, rel string) *writ.Error {
	return refusal(writ.CodeStaleFile, op, rel, "%s changed since it was read", rel)
}

func refusal(code writ.Code, op, path, format string, args ...any) *writ.Error {
	return &writ.Error{Code: code, Op: op, Path: path, Msg: fmt.Sprintf(format, args...)}
}
