package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	maxFileBytes = 2 << 30
	maxOpenFiles = 4096
	// tasksPerProcess is how many threads a process is allowed on average: the
	// kernel's limit counts threads, the declared one processes.
	tasksPerProcess = 4
)

// confine takes rights away from this process and becomes the command. It
// returns only with the reason why it could not. Landlock and seccomp bind the
// calling thread; exec ends all others, so that one is enough.
func confine() string {
	runtime.LockOSThread()
	unix.CloseOnExec(statusFD)
	var spec Spec
	if err := json.NewDecoder(os.Stdin).Decode(&spec); err != nil {
		return "the order cannot be read: " + err.Error()
	}
	if err := unix.Chdir(spec.Dir); err != nil {
		return fmt.Sprintf("its folder cannot be entered: %v", err)
	}
	if err := nullStdin(); err != nil {
		return err.Error()
	}
	if err := limitResources(spec); err != nil {
		return err.Error()
	}
	// The kernel's first choice when memory runs out must not be the person's
	// editor. Kernels may refuse it, and nothing else depends on it.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	if spec.Level >= 1 {
		if err := restrictFiles(spec); err != nil {
			return "Landlock: " + err.Error()
		}
		if err := restrictCalls(spec.Network); err != nil {
			return "seccomp: " + err.Error()
		}
	} else if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return "no_new_privs: " + err.Error()
	}
	err := syscall.Exec(spec.Path, spec.Argv, spec.Env)
	return fmt.Sprintf("%s cannot be started: %v", strings.Join(spec.Argv[:1], ""), err)
}

// nullStdin replaces the pipe with the order by an empty input.
func nullStdin() error {
	null, err := unix.Open(os.DevNull, unix.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	if err := unix.Dup3(null, 0, 0); err != nil {
		return fmt.Errorf("empty the standard input: %w", err)
	}
	return unix.Close(null)
}

// limitResources sets the kernel's own limits. Address space is not among
// them: Node, Java and Go's race detector reserve far more than they use, so
// the warden counts resident memory instead.
func limitResources(spec Spec) error {
	unix.Umask(0o022)
	seconds := uint64(spec.Timeout.Seconds()) + 1
	limits := []struct {
		name  string
		which int
		value uint64
	}{
		{"core", unix.RLIMIT_CORE, 0},
		{"file size", unix.RLIMIT_FSIZE, maxFileBytes},
		{"open files", unix.RLIMIT_NOFILE, maxOpenFiles},
		{"CPU time", unix.RLIMIT_CPU, seconds*uint64(runtime.NumCPU()) + 1},
		{"processes", unix.RLIMIT_NPROC, uint64(tasksOf(os.Getuid()) + tasksPerProcess*spec.Processes)},
	}
	for _, l := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(l.which, &now); err != nil {
			return fmt.Errorf("read the limit on %s: %w", l.name, err)
		}
		value := min(l.value, now.Max)
		if err := syscall.Setrlimit(l.which, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("set the limit on %s: %w", l.name, err)
		}
	}
	return nil
}
