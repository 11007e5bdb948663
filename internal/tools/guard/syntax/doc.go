// Package syntax is the gate that a changed file must pass before it is
// staged: it says whether the text is valid in its language, and where not.
//
// # Model
//
// [Kind] tells a file's language by its name. A [Pool] checks contents. The
// parsers of Go and of JSON bound their own depth and take linear time, so they
// run in the process. The others can be killed or hung by an input made for it
// (200,000 nested ternaries overflow the stack of one and cannot be recovered),
// so they run in a worker: this same binary, started again with a first
// argument of its own, or the machine's python3. A main function, and each
// TestMain of a package that opens a Pool, calls [Worker] first.
//
// # Guarantees
//
// Check never fails and never takes the process down. A checker that dies,
// hangs or is not here, a file that is too large or too deep, all give unknown
// with a message that says so: nothing is blocked for a fault of the gate, and
// nothing is called valid that was not parsed. A worker that died or was killed
// is replaced at the next check. Workers end with the process that started
// them: by a signal on Linux, and everywhere because their input ends.
//
// # Refusals
//
// Source that is not UTF-8, or holds NUL, is invalid, Python's declared
// encodings excepted: a checker that read such bytes in another way than the
// compiler would be a way around the gate. The worker gets no environment, no
// argument and no file of the workspace; python3 starts isolated, without site
// packages, in a folder that is not the workspace, and is never taken from
// beneath the current directory.
package syntax
