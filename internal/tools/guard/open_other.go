//go:build !unix

package guard

import (
	"context"
	"io/fs"
	"os"
	"strings"
)

const (
	nonblock = 0
	onlyDir  = 0
)

func isNotDir(error) bool { return false }

func notEmpty(err error) bool {
	return err != nil && strings.Contains(err.Error(), "not empty")
}

// syncDir does nothing: the system has no call for it.
func syncDir(*os.Root) error { return nil }

// removeDir removes an empty folder. Between the look and the removal another
// kind of file could take the name.
func removeDir(dir *os.Root, name string) error {
	info, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fs.ErrInvalid
	}
	return dir.Remove(name)
}

// lockFile reports free: the system itself keeps an open file from removal.
func lockFile(*os.File) bool { return true }

// lockDir does nothing: nothing is exchanged here either.
func lockDir(context.Context, *os.Root) (release func(), err error) { return func() {}, nil }

func keepOwner(*os.File, fs.FileInfo) {}
