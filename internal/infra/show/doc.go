// Package show makes text of foreign origin safe to look at.
//
// File names, file contents and a model's words reach a person's terminal.
// There, a control character can move the cursor and repaint what stood
// before, a bidirectional override can turn a line around, and a character
// without width can hide in a name; each lets a text look like another. This
// package replaces exactly those characters by a visible escape, \u{1b} for
// the one that begins a terminal sequence.
//
// It guarantees that its output has no control character but line feed, tab
// and a carriage return right before a line feed, no character of Unicode's
// format category, and that escaping twice is escaping once. Letters of every
// script, marks, emoji and blanks in common use stay as they are.
//
// It is for people only: what a script reads, such as JSON or a patch, keeps
// its bytes.
package show
