// Package fsm moves tasks through the six states. The transitions are data in
// package writ; this package is the only one that changes Task.State. It
// guarantees that an illegal transition changes nothing, and it refuses to
// know anything else about a task. The functions are pure.
package fsm
