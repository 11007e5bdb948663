// Package store keeps everything that must outlive the process: tasks, their
// events, staged changes and their bytes, model calls, agent runs, holds, the
// apply journal, lock sets, leases, reports and audit checkpoints.
//
// The model: one [Store] over one *sql.DB, which is SQLite in a folder of the
// user's own or a Postgres shared by a team. Both are spoken to with one SQL
// text (queries/*.sql); only the table definitions differ
// (migrations/sqlite, migrations/postgres). Times are Unix milliseconds, JSON
// is text, and every table bears a project_id; rows that belong to no project
// (content-addressed blobs, checkpoints over the whole store) bear an empty one.
//
// Guarantees:
//
//   - [Store.Write] is one transaction: all of it is on disk when it returns
//     nil (WAL with synchronous FULL), none of it otherwise.
//   - Events of a task are numbered 1, 2, 3 … without a hole, in commit order,
//     also when several processes write. Each is chained to the one before it.
//     Their times never go backwards within a task.
//   - A recorded successful call is never overwritten, so what was paid for is
//     replayed and never asked again.
//   - Two processes may open the same store at the same moment, also a new one.
//   - The database file is readable by its owner alone (0600 in a 0700 folder).
//   - A [Store] is safe for concurrent use. A [Tx] is not, and ends with the
//     function it was given to.
//
// Refusals: a store written by a newer program, a folder that is a file, a
// store that is damaged, full or read-only each give one *writ.Error; nothing
// is written partly and nothing is repaired in silence. Callers stop when a
// write fails: what cannot be recorded is not done.
package store
