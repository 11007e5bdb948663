package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// refusedCalls are the system calls that change the walls themselves, look
// into other processes, or reach parts of the kernel that no build needs.
// open_by_handle_at is here because the capability that lets the command's
// user pass our private folders would let it open any file by its handle.
func refusedCalls() []string {
	return []string{
		"mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "fsopen", "fsconfig", "fsmount", "fspick", "open_tree", "move_mount", "mount_setattr",
		"ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "process_madvise",
		"bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
		"keyctl", "add_key", "request_key", "open_by_handle_at", "name_to_handle_at",
		"kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd",
		"settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "iopl", "ioperm", "syslog", "lookup_dcookie", "vhangup",
		"nfsservctl", "uselib", "ustat", "sysfs", "fanotify_init",
	}
}

// restrictCalls loads the filters for the calling thread and what it becomes.
func restrictCalls(network Network) error {
	info, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	if err := refuseForeignCalls(info); err != nil {
		return fmt.Errorf("refuse the calls of other architectures: %w", err)
	}
	var names []string
	for _, name := range refusedCalls() {
		// Not every architecture has every call.
		if _, ok := info.SyscallNames[name]; ok {
			names = append(names, name)
		}
	}
	groups := []seccomp.SyscallGroup{
		{Names: names, Action: refuse(unix.EPERM)},
		{NamesWithCondtions: conditional(), Action: refuse(unix.EPERM)},
		{NamesWithCondtions: []seccomp.NameWithConditions{
			// clone3 hides its flags behind a pointer; callers fall back to clone.
			{Name: "clone3", Conditions: always()},
		}, Action: refuse(unix.ENOSYS)},
	}
	if sockets := refusedSockets(network); len(sockets) > 0 {
		groups = append(groups, seccomp.SyscallGroup{NamesWithCondtions: sockets, Action: refuse(unix.EACCES)})
	}
	return seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Policy: seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: groups}})
}

func refuse(errno unix.Errno) seccomp.Action {
	return seccomp.ActionErrno&^0xffff | seccomp.Action(errno)
}

func always() seccomp.ArgumentConditions {
	return seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.GreaterOrEqual, Value: 0}}
}

// conditional refuses what a call's first numbers give away: new namespaces,
// and typing into a terminal on behalf of its owner.
func conditional() []seccomp.NameWithConditions {
	var out []seccomp.NameWithConditions
	for _, flag := range []uint64{unix.CLONE_NEWUSER, unix.CLONE_NEWNS, unix.CLONE_NEWNET, unix.CLONE_NEWPID, unix.CLONE_NEWIPC, unix.CLONE_NEWUTS, unix.CLONE_NEWCGROUP} {
		out = append(out, seccomp.NameWithConditions{Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsSet, Value: flag}}})
	}
	for _, request := range []uint64{unix.TIOCSTI, tiocLinux} {
		out = append(out, seccomp.NameWithConditions{Name: "ioctl", Conditions: seccomp.ArgumentConditions{{Argument: 1, Operation: seccomp.Equal, Value: request}}})
	}
	return out
}

const tiocLinux = 0x541c

// refusedSockets says which kinds of socket cannot be made. Pairs made by
// socketpair stay: they lead nowhere. A unix socket is refused where Landlock
// cannot yet keep it from those of the machine.
func refusedSockets(network Network) []seccomp.NameWithConditions {
	var allowed []uint64
	switch network {
	case NetworkLoopback:
		allowed = []uint64{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	case NetworkFull:
		allowed = []uint64{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK, unix.AF_UNIX}
	case NetworkNone:
	}
	if landlockABI() >= unixSocketABI && network != NetworkFull {
		allowed = append(allowed, unix.AF_UNIX)
	}
	if len(allowed) == 0 {
		return []seccomp.NameWithConditions{{Name: "socket", Conditions: always()}}
	}
	var others seccomp.ArgumentConditions
	for _, family := range allowed {
		others = append(others, seccomp.Condition{Argument: 0, Operation: seccomp.NotEqual, Value: family})
	}
	return []seccomp.NameWithConditions{{Name: "socket", Conditions: others}}
}

// refuseForeignCalls loads a filter of its own that kills a process which makes
// a call of another architecture: the numbers of the 32-bit table mean other
// calls, and the main filter lets foreign ones pass.
func refuseForeignCalls(info *arch.Info) error {
	const archOffset = 4
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: archOffset},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: uint32(info.ID)},
		{Code: unix.BPF_RET | unix.BPF_K, K: uint32(unix.SECCOMP_RET_KILL_PROCESS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: uint32(unix.SECCOMP_RET_ALLOW)},
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return errors.New(errno.Error())
	}
	return nil
}
