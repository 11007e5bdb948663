// Package guard is the one place through which files of a workspace are read
// and written. It judges effects, a path and its bytes, never the name of a
// tool or the text of a command.
//
// # Model
//
// A [Root] is a workspace, opened once: it goes on with the folder that was
// opened, even when the path is renamed away or a link takes its place. A
// [Policy] says which names exist for an agent at all: what is protected, what
// is secret, what may be created without an extension. A [LockSet] holds the
// files that a task may write. A [Guard] joins the three and judges one path
// in the contract's order: path, protected, lock.
//
// Three parties are taken as hostile or careless: the model that names paths,
// the repository that was cloned, and the person who edits meanwhile.
//
// # Guarantees
//
//   - No operation leaves the opened folder, whatever is renamed or linked
//     while it runs. A write goes through no link at all, not even one that
//     stays inside: each folder on the way is opened and then compared with
//     what its name says.
//   - Names mean the same on every system: what another system would take for
//     .git, for a device, for a drive or for a second spelling of an existing
//     name is refused here too.
//   - [Root.Replace] and [Root.Remove] are compare-and-swap: they act only on
//     the content whose hash the caller built on. On Linux the old file is
//     taken out in exchange for the new one, hashed, and put back if it differs;
//     elsewhere the hash is read right before the rename, which leaves a window
//     of microseconds. A program that holds the old file open and writes into it
//     later writes into a file without a name, as with every atomic write.
//   - A file is whole at every instant: old or new. A kill leaves at most a
//     file named .writ-*.tmp, which [Root.CleanTemps] removes, or puts back if
//     it holds what a person wrote.
//   - Mode and, where the system lets us, owner of a replaced file are kept; a
//     hard link elsewhere keeps the old content, since the file is new.
//
// # Refusals
//
// Only regular files are read and written: a pipe, socket or device is refused
// without being opened. Files of another repository inside the workspace (a
// submodule, a nested clone) are not ours to change: they have their own
// history, and git would not list them. The built-in list of protected paths
// can be lengthened by configuration and never shortened; git's own folder,
// .writ and writ.yaml are beyond any approval.
package guard
