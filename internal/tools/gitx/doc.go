// Package gitx asks git about a workspace and hands it a task's result, without
// letting the repository run anything.
//
// A cloned repository is hostile input: its configuration can name programs
// for hooks, filters, diffs, the file monitor, signing and transport. So git is
// called with plumbing only, with an environment built from an allow-list,
// with those settings overridden on the command line, with names on standard
// input or behind "--", under a deadline and with bounded output. No diff,
// checkout, clean, stash, add, commit or status is ever asked for.
//
// # Model
//
// [Open] gives a [Repo] for a folder: the work tree it lies in, or no
// repository, which is no error. [Repo.Files] is what git would list there, in
// both cases. [Repo.DeliverBranch] makes one commit on a new branch from HEAD
// through an index of its own, and [Repo.DeliverPatch] writes the same as a
// mail that git apply and git am take.
//
// # Guarantees
//
// The user's index, HEAD, work tree, stash, configuration and branches stay as
// they are; delivery adds objects and one reference. Author and committer are
// the configured ones. Names are exact bytes. When git is missing, broken or
// lost on the way, Files walks the folder with the same rules.
//
// # Refusals
//
// A repository that another user owns is not trusted unless it is the
// workspace itself or the user's own configuration names it. A program named
// git that lies inside the workspace is not run. Objects that a partial clone
// lacks are not fetched.
package gitx
