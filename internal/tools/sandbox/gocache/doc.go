// Package gocache lets go build with the person's build cache without ever
// writing into it.
//
// It speaks the protocol of GOCACHEPROG. An entry is looked for in a private
// folder first and in the shared cache then; every new entry goes to the
// private folder. A shared entry is used only if its bytes have the hash that
// names them. So a test that plants objects poisons nothing but its own task,
// while the standard library need not be compiled again for each one.
//
// It runs inside the sandbox, as a child of the go command, and has no more
// rights than that. It refuses nothing: what it cannot serve is a miss, and go
// compiles anew.
package gocache
