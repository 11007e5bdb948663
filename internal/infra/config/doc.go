// Package config reads what a person, an organisation and a repository say
// about how Writ shall work, and keeps for each value where it comes from.
//
// # Model
//
// The levels, lowest to highest, are the built-in defaults, the organisation's
// file, the user's file, the project's writ.yaml, the environment (WRIT_*) and
// the flags. Every setting is one row of a table (table.go): its key, its kind,
// its default, what a higher level does to it, and what a repository that
// nobody trusts may do to it. Reading, checking, merging, showing and guarding
// all walk that one table, so a new setting is one row and one struct field.
//
// Each level becomes a flat set of settings with their lines; the levels are
// merged in order; the result is written into the typed [Config].
//
// # Guarantees
//
// An unknown key, a wrong type and a word that is not allowed are errors of one
// line that name file, line, key and what was wanted. A level never half
// counts: a file with one bad line is refused whole.
//
// The writ.yaml of a workspace is untrusted input. Until the user trusts
// exactly its bytes, it may only tighten governance; anything more is left out
// and comes back as a [Warning], and the rest counts. Trust is bound to the
// SHA-256 of the file ([Trust]), so a changed file is untrusted again. Even a
// trusted file cannot shorten the list of protected paths.
//
// Reading is bounded: 1 MiB a file, 64 levels of nesting, 20,000 values after
// aliases are followed. Only regular files are read, and the project's only
// from inside the workspace, so neither a pipe nor a link leads elsewhere.
//
// # Refusals
//
// A key never stands in a configuration file: a field such as api_key and an
// api_key_env that holds anything but the name of a variable are errors. The
// workspace's .env is never read. A command is an argument list and never text
// for a shell. Nothing above the workspace's root is searched for a writ.yaml.
package config
