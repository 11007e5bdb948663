package guard

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/writ-dev/writ"
)

// diskError turns an error of a look or a read into one that a model can act
// on. A place that cannot be read is no reason to end a task.
func diskError(op, rel string, err error) error {
	var known *writ.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case escapes(err):
		return outside(rel, "leads out of the workspace through a link")
	case absent(err):
		return &writ.Error{Code: writ.CodeFileNotFound, Path: rel, Msg: Show(rel) + " does not exist", Err: err}
	case errors.Is(err, syscall.ELOOP):
		return &writ.Error{Code: writ.CodePathInvalid, Path: rel, Msg: Show(rel) + " is a link", Err: err}
	}
	return &writ.Error{Code: writ.CodePathInvalid, Path: rel, Msg: "cannot " + op + " " + Show(rel) + ": " + reason(err),
		Hint: "work without this file", Err: err}
}

// writeError turns an error of a write into one plain line for a person. It is
// a fault of the machine, not of the path, so its code is INTERNAL.
func writeError(op, rel string, err error) error {
	var known *writ.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case escapes(err):
		return outside(rel, "leads out of the workspace through a link")
	}
	return &writ.Error{Code: writ.CodeInternal, Op: op + " " + Show(rel), Path: rel, Msg: reason(err), Hint: remedy(err), Err: err}
}

// reason is the innermost message, without the paths that Go puts around it.
func reason(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return err.Error()
}

func remedy(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "free some space and apply again; the old content is whole"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return "make the file and its folder writable and apply again; the old content is whole"
	}
	return "the old content is whole; apply again"
}

// escapes reports whether os.Root refused to leave the folder. The package has
// no exported error for it, so its words are compared; a test pins them.
func escapes(err error) bool {
	return err != nil && strings.Contains(err.Error(), "path escapes from parent")
}
