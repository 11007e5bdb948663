// Package anthropic speaks the Anthropic messages API, streaming.
//
// The system text travels apart, turns of one role in a row become one, and
// tool results come first in theirs, as the API demands. Prefixes that are
// marked for caching get a cache_control mark, at most four of them. Thinking
// blocks are reasoning; they are kept with their signatures and returned
// unchanged with their turn, to the same provider only.
//
// Usage counts cached tokens as input: what the API reports apart is added up.
//
// Refused: taking a stream without a stop reason for a whole answer.
package anthropic
