// Package journal is the single writer of a running task: what happens to the
// task, the state that it leaves behind and the news about it go through here,
// in this order and in one piece.
//
// The model: [Journal.Task] gives the ledger of one task. [Task.Emit],
// [Task.Record] and [Task.Run] put events, calls and agent runs into its
// buffer, in order. [Task.Commit] writes the caller's own changes and the
// whole buffer in one transaction, in which the events get their numbers, and
// publishes them afterwards. [Journal.Follow] reads a task's events back, from
// any number on, while they come.
//
// Guarantees:
//
//   - What was published is on disk. What was not committed was not published,
//     except for live-only events, which are told at once and never stored.
//   - Events of a task are published in the order of their numbers, without a
//     hole. Commits of one task neither overlap nor overtake each other.
//   - A commit that fails publishes nothing and keeps the buffer, so that a
//     later commit can still tell what happened.
//   - Every event is redacted before it leaves the memory of this process, and
//     no value, however it fails to encode, panics or loses an event: an error
//     event stands in for it.
//
// A ledger is safe for concurrent use. The journal refuses nothing; what the
// store refuses, such as a write to a task that has ended, comes back from
// Commit, and the caller must then stop: what cannot be recorded is not done.
package journal
