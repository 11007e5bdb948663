package writ

import "context"

// RuleSpec declares a scan rule.
type RuleSpec struct {
	ID        string
	Severity  Severity
	Message   string
	Languages []string // empty for every file
}

// Rule finds one kind of fault in one file. It has no effect, is safe for
// concurrent use, must be linear in the size of the file, and returns an error
// only when it could not run, which is reported and never skipped in silence.
type Rule interface {
	Spec() RuleSpec
	Check(ctx context.Context, file File) ([]Finding, error)
}
