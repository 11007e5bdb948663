// Package demo holds what writ demo plays: a small repository in Go and
// Python, and the script of a model that tries a file outside its lock set,
// then broken syntax, then does it right.
//
// Its model is scripted and says so. Nothing of it touches the folder in which
// the demo is started.
package demo
