// Package writ is the vocabulary of Writ, a governance-first coding agent: the
// nouns that every layer shares and the interfaces by which others extend it.
//
// An AI may change a code base only inside a writ: a [Plan] whose steps name
// the files, limits that hold by force, and evidence that the engine collects
// itself. A [Task] is one governed piece of work; it moves through six states
// ([State]), labels what it does inside them with a [Phase], stages every file
// operation as a [Change], proves it by a [Check], waits for a person on a
// [Hold], and ends with a [Report].
//
// Four seams are open to others: [Agent], [Tool], [Provider] and [Rule]. The
// package writtest holds the conformance suite that every implementation of a
// seam must pass. The package imports the standard library only and keeps no
// state.
package writ
