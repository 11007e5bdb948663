// Package wire is the one place that builds everything: from a workspace, the
// configuration's levels and an environment to a running supervisor.
//
// It guarantees one instance of each part per [Open], built in one readable
// function and closed in the reverse order, and that nothing is built that a
// command does not need: a version costs no database. It refuses to hold state
// of its own.
package wire
