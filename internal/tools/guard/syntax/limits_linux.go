package syntax

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// limitWorker bounds what a parser may take. A limit that cannot be set leaves
// the parent's deadline, so the errors are of no use to anybody.
func limitWorker() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	// The runtime reserves more address space than it uses; what it may write
	// to is the figure that counts.
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: maxWorkerData, Max: maxWorkerData})
	_ = unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: maxWorkerCPU, Max: maxWorkerCPU})
	_ = unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{})
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// childAttr makes the kernel end a worker with its parent. It binds to the
// thread that started it, which may end earlier; then the worker is replaced.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// selfPath reaches the running binary even when the file was replaced by an
// upgrade.
func selfPath() string { return "/proc/self/exe" }
