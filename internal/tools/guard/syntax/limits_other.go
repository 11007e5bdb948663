//go:build !linux

package syntax

import "syscall"

func limitWorker() {}

func childAttr() *syscall.SysProcAttr { return nil }

func selfPath() string { return "" }
