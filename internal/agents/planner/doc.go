// Package planner turns a request into a plan: steps that name the files they
// may write. It has reading tools only.
//
// What the model submits is validated before anybody uses it: at least one
// step names files, files are paths and not patterns, ids are unique,
// dependencies resolve and have no cycle, and steps come in an order in which
// they can run. A plan that is not so is sent back with the reason, a bounded
// number of times; then rules read the paths that the request names. It
// refuses to guess files that nobody named.
package planner
