// Package glob matches slash-separated paths against patterns written as in a
// .gitignore file: a pattern without a slash matches a name at any depth, one
// with a slash is anchored at the root, "**" stands for any number of folders,
// and a trailing slash asks for a folder.
//
// One language serves the protected list, the list of secrets, the names that
// need no extension, and the ignore files of folders without git, so a person
// learns it once.
//
// Matching takes time in the product of the lengths at worst: a pattern comes
// from configuration and a path from a model, so neither may make the other
// slow. The package reads no file and knows no case: who wants letters to be
// alike folds pattern and path first.
package glob
