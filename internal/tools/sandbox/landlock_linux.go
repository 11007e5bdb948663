package sandbox

import (
	"errors"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

const (
	// referABI is the first that lets a file be moved between folders; without
	// it too many tools fail.
	referABI = 2
	// unixSocketABI is the first that refuses sockets of the machine by path.
	unixSocketABI = 9
)

// landlockABI is the kernel's version of Landlock, 0 where there is none.
func landlockABI() int {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return abi
}

// restrictFiles binds the calling thread, and what it becomes, to the paths of
// the spec. A path that does not exist grants nothing.
func restrictFiles(spec Spec) error {
	if landlockABI() < referABI {
		return errors.New("this kernel has no Landlock, or too old a one")
	}
	var dirs, files []string
	for _, path := range spec.Read {
		fi, err := os.Stat(path)
		switch {
		case err != nil:
		case fi.IsDir():
			dirs = append(dirs, path)
		default:
			files = append(files, path)
		}
	}
	rules := []landlock.Rule{
		landlock.RODirs(dirs...).IgnoreIfMissing(),
		landlock.ROFiles(files...).IgnoreIfMissing(),
		landlock.RWFiles(os.DevNull).IgnoreIfMissing(),
		landlock.RWDirs(spec.Write...).WithRefer(),
	}
	config := landlock.V11
	if spec.Network != NetworkNone {
		config.HandledAccessNet = 0
	}
	fd, flags, err := config.BestEffort().NewRulesetFD(rules...)
	if err != nil {
		return err
	}
	if fd < 0 {
		return errors.New("nothing can be restricted here")
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return ll.LandlockRestrictSelf(fd, flags)
}
