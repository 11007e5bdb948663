package guard

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two names of a folder in one step. It is ErrUnsupported where
// the kernel or the file system cannot.
func exchange(dir *os.Root, a, b string) error {
	return renameat2(dir, a, b, unix.RENAME_EXCHANGE)
}

// moveNew renames in one step and fails with ErrExist if the new name is taken.
func moveNew(dir *os.Root, from, to string) error {
	return renameat2(dir, from, to, unix.RENAME_NOREPLACE)
}

func renameat2(dir *os.Root, a, b string, flags uint) error {
	return withFD(dir, func(fd int) error {
		err := unix.Renameat2(fd, a, fd, b, flags)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) {
			return errors.ErrUnsupported
		}
		return err
	})
}
