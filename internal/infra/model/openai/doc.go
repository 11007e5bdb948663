// Package openai speaks OpenAI-compatible chat completions, streaming.
//
// The protocol has one definition and many dialects. What follows is read as it
// is meant: a missing or shared index in the pieces of tool calls, a name that
// comes after its id, arguments as an object instead of a string, usage on any
// chunk or on none, empty or null choices, a stream without its closing mark,
// a whole answer instead of a stream, text in parts.
//
// A server that refuses an optional setting by name, such as the temperature,
// is not sent it again: the attempt fails, the next one may succeed.
//
// Reasoning is never sent back, except to servers that refuse a conversation
// without it; what a server attached to its calls (extra_content) is returned
// to that same provider only.
//
// Refused: taking a stream without a finish reason for a whole answer.
package openai
