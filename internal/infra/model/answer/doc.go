// Package answer puts the pieces of a streamed model answer together and
// decides what of it may be used.
//
// Both wires feed one [Builder]: text, reasoning, and the pieces of tool calls.
// Think blocks in the text become reasoning while they stream. At the end the
// builder gives the response, or what there is of it when the stream broke.
//
// Guaranteed: a call is executable only if the model finished its answer by
// itself and the call's arguments are one JSON object in valid UTF-8 without a
// key twice; everything else is a rejected call with its reason. Arguments are
// never repaired. Each call has an id of its own within the conversation, its
// server's where that is unique, and the calls keep their order. Memory is
// bounded, whatever the server sends.
//
// Refused, with [ErrEndless]: text that goes on far beyond the output limit or
// repeats itself without end.
package answer
