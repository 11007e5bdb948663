// Package quality grades what a generation produced, from 0 to 100, by a plain
// formula that anybody can check by hand: docs/quality-score.md states it.
//
// The score is pure arithmetic on bytes. It never replaces a check: a high
// score removes no finding, and a low one blocks only where the policy says
// so.
package quality
