// Package tree looks at a folder before and after a command ran in it and says
// what the command changed.
//
// A [Snapshot] holds kind, permission bits, size and SHA-256 of every entry;
// symbolic links are recorded, never followed. [Snapshot.Compare] sorts the
// differences into added, changed and removed paths. Folders that tools fill
// with by-products (__pycache__, node_modules, target, .git and the like) and
// that were not there before are dropped as a whole and only named.
//
// Times are not compared: a command can set them. Refused is nothing; what
// cannot be read is an error, so that a difference is never missed in silence.
package tree
