// Package verifier collects the evidence on which DONE depends. It asks no
// model: it compares bytes and hashes, parses, and runs the declared commands
// on the staged tree.
//
// A check is passed, failed or unchecked; unchecked applies and could not be
// run here, and never counts as passed. A check without a subject is absent
// and required of nobody. Every verification runs everything again, after
// every repair too.
package verifier
