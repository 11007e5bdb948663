package sandbox

import "github.com/writ-dev/writ/internal/tools/sandbox/gocache"

// childOfCache serves Go's build cache to a command in the sandbox.
func childOfCache(args []string) bool { return gocache.Child(args) }
