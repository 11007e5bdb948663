// Package cli is Writ's command line: what a person types, a script reads and
// an exit code says.
//
// A command file has a constructor, an options struct and a run function;
// everything that does work is built by package wire. Events go to stdout with
// --json, one a line, the report last; people's text then goes to stderr. Text
// of foreign origin is escaped before it reaches a terminal.
//
// It guarantees that every error is one line, "writ: what happened: what to
// do", that no stack trace reaches a person, and that the exit code is the one
// of the contract. It refuses to ask anything where no terminal is.
package cli
