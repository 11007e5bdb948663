// Package audit proves that the record of what tasks did is the record that
// was written: nothing changed, removed, inserted, moved or cut off.
//
// The model: the store chains the events of each task (package chain), and the
// task's own row knows the last number and hash. A [Log] adds checkpoints: a
// checkpoint names the end of every chain that grew since the one before,
// carries the hash of that one, and is signed with an ed25519 key which is made
// once in the state folder (audit.key, readable by its owner alone). So the
// newest checkpoint vouches for all of them, and through them for every row
// that they cover. A copy of it kept elsewhere, a checkpoint file, makes even
// the one who owns store and key unable to rewrite what came before.
//
// [Log.Verify] finds a changed, removed, inserted or moved row, a payload that
// is not the one recorded, a cut-off end (by the task's row and by the
// checkpoints), a changed, removed or foreign checkpoint, and with a
// checkpoint file any rewriting of what that file covers. It reads one moment
// of the store, so tasks may run meanwhile. A payload that retention erased
// shows as erased and breaks nothing, since the chain covers its hash.
//
// What it cannot find: the loss of rows written after the last checkpoint when
// the attacker also mends the task's row and its hashes, and, without a
// checkpoint file, a rewriting by somebody who holds the key. Machines that
// share a Postgres store share one audit.key; a checkpoint signed with another
// key is refused.
package audit
