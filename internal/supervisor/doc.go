// Package supervisor owns the life of a task: it decides who acts when, and
// holds state machine, budget, lock set, staging and verdict. It writes no
// code and calls no model itself; agents do, through the governed caller and
// tools that it hands them.
//
// A task is a row. Drive runs its phase functions one after the other; each
// takes the persisted task and names the next one, and its state, events and
// manifest are committed together. A hold ends the drive, and any process can
// drive on once it is answered. A phase that is repeated replays the model
// answers and tool results that were journaled, so nothing is paid or written
// twice.
//
// It guarantees that no path reaches DONE without a passed verification, that
// an error or panic in an agent, tool or parser ends that task alone, and that
// a timeout never means yes. It refuses to apply anything that a rule stood in
// for, whatever the apply mode says.
package supervisor
