// Package chain is the arithmetic of the audit trail: how one row of a task's
// events is bound to the row before it. It is pure, does no I/O and knows no
// database, so that the store that writes a chain, the audit that verifies it
// and a person who checks an export by hand all use the same few lines.
//
// The model: each task has its own chain. A row's hash covers the hash of the
// row before it, its sequence number, its time, its task, its type, its agent
// and the SHA-256 of its payload. The payload itself is not covered directly,
// so that it can be erased later without breaking the chain: an erased row
// still shows that something was said, when, by whom and with which hash.
//
// It guarantees that two different rows never encode to the same bytes: every
// field is written with its length in front of it. It refuses nothing; judging
// is the audit's business.
package chain
