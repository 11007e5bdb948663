// Package router decides which model answers a call, how often it is asked,
// and what it says about both.
//
// A call walks its chain of targets. At each one it makes at most a few
// attempts: only errors that another attempt may mend are retried, after a
// pause with full jitter, or after exactly what the server asked for, which
// then holds for every other call to that target too. A breaker per target
// stops asking one that keeps failing. When all breakers of a chain are open,
// its first target gets a single attempt, so that a short outage does not end
// the work of a task that has no other model.
//
// An answer that was cut by its output limit, stopped by a filter, or empty is
// an answer, not an error; but while the chain has another target, that one is
// asked, and the cut answer is returned only if nobody does better.
//
// Guaranteed: every attempt that was sent is told to Hooks.Attempt with its
// usage before anything else happens; a budget's refusal ends a call before
// the attempt it refuses; an end of the context ends a call at once; the
// number of attempts and the time of retries are bounded.
//
// Refused: repairing an answer, and mixing two.
package router
