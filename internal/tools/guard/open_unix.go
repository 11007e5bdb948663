//go:build unix

package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// nonblock keeps an open from waiting for the other end of a pipe that took
// the file's place.
const nonblock = syscall.O_NONBLOCK

// onlyDir makes an open fail at once on anything but a folder.
const onlyDir = syscall.O_DIRECTORY

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

func notEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}

// withFD lends the descriptor of a folder.
func withFD(dir *os.Root, fn func(fd int) error) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	ctlErr := conn.Control(func(fd uintptr) { err = fn(int(fd)) })
	return errors.Join(ctlErr, err)
}

// syncDir brings the names of a folder to the disk.
func syncDir(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) { // some file systems sync no folders
		return err
	}
	return nil
}

// removeDir removes an empty folder, and fails on anything else.
func removeDir(dir *os.Root, name string) error {
	return withFD(dir, func(fd int) error { return unix.Unlinkat(fd, name, unix.AT_REMOVEDIR) })
}

// lockFile takes the file's lock and reports whether it was free. The system
// releases it with the process.
func lockFile(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// lockDir keeps other writers of ours, in this process or another, out of a
// folder until release is called: three exchanges that interleave could each
// take the others' content for a person's. A file system without locks is gone
// on with, and a lock that somebody keeps for long is an error.
func lockDir(ctx context.Context, dir *os.Root) (release func(), err error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(lockWait); ; {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return func() { f.Close() }, nil
		}
		if time.Now().After(deadline) {
			err = errors.New("another program keeps the folder locked")
			break
		}
		select {
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-time.After(lockPoll):
			continue
		}
		break
	}
	f.Close()
	return nil, err
}

// How long and how often a folder's lock is tried for.
const (
	lockWait = 10 * time.Second
	lockPoll = time.Millisecond
)

// keepOwner gives the new file the owner and group of the old one, as far as
// the system lets us.
func keepOwner(f *os.File, old fs.FileInfo) {
	now, err := f.Stat()
	if err != nil {
		return
	}
	want, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	have, ok := now.Sys().(*syscall.Stat_t)
	if ok && (want.Uid != have.Uid || want.Gid != have.Gid) {
		// A failure leaves the file ours, which is what an editor does too.
		f.Chown(int(want.Uid), int(want.Gid))
	}
}
