//go:build unix

package guard

import "syscall"

func killed(status syscall.WaitStatus) bool { return status.Signal() == syscall.SIGKILL }
