// Package prompt fills the agents' templates and fences foreign text.
//
// # The model
//
// Each agent has its own templates, Markdown files embedded beside its Go
// code; a [Set] parses them once. Everything that a project, a person's files
// or a tool wrote enters a prompt through [Fence]: with its source, a line that
// says what it is, and end marks that bear the text's own hash. Text cannot
// hold its own hash, so it cannot close its fence early and speak on as if it
// were the engine.
//
// # What it guarantees and refuses
//
// The same data gives the same bytes, so that a journaled answer is found again
// and a provider's prompt cache hits. A template that names a field which its
// data lacks is an error, never an empty place. The fence is no guard: what a
// model may do is decided by its tool list and by the guard behind it.
package prompt
