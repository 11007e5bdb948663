// Package staging keeps what a task wants to change apart from the files of
// the workspace until it is verified, and then brings it there as one act.
//
// # Model
//
// Staging is rows, not a folder. A manifest holds one [writ.Change] for each
// path, and the store holds the contents by their SHA-256: the content as it
// was in the workspace when the task first touched the path, and the content
// as it shall be. An [Overlay] is the manifest of one task in memory: reads
// see staged content first and fall through to the disk, each write becomes
// blobs, a row and a change.staged event in one transaction. A folder is only
// ever made from it ([Overlay.Materialise]), so a task can go on in another
// process, and a half-done step starts again from the last manifest.
//
// Each agent run gets its own [Overlay.View], which is the writ.Workspace that
// tools act through. What an agent was shown is remembered for each agent as
// long as the Overlay lives; in a new process it must read again.
//
// An [Applier] moves changes between staged, applied, undone and discarded.
// Applying is journaled: the list of files with both hashes is committed
// before the first byte is written, each file is replaced by compare-and-swap
// through the guard, and the rows, their statuses and their events are
// committed together at the end. Before-images stay in the store, never in
// the user's git; index, stash and branches are not touched.
//
//	staged --Apply--> applied --Undo--> undone
//	staged --Discard--> discarded
//
// Nothing leads back to staged: what was undone is done again by a new task.
//
// # Guarantees
//
//   - A write is judged in the contract's order: path, protected path, lock
//     set, target on disk, then content. A refused write leaves no trace but a
//     change.rejected event when the syntax gate refused it.
//   - A file that a person changed is never overwritten. A write built on
//     other bytes than the present ones, a change whose file is no longer as
//     it was when first touched, and an undo of a file that is no longer as
//     the task left it are STALE_FILE.
//   - Writing the original content back removes the change.
//   - After an I/O error in the middle of an apply or undo every file has its
//     former content again, and one error says why. After a kill at any point
//     each file is whole, and [Applier.Recover] makes all of them new or all
//     of them old.
//   - Modes are kept. Folders made for new files go with an undo when they are
//     empty.
//
// # Refusals
//
// It decides nothing about a task: what a stale file means for the outcome,
// and whom to ask, is the supervisor's. It emits no guard.denied event; it
// returns the error that says so. Two processes must not apply for one task
// at the same time; the caller holds the task's lease. If they do, each file
// is still one or the other version, whole.
package staging
