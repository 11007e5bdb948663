// Package loop runs agents. It is the only place where a model's words turn
// into acts, and it has no power of its own: a [Caller] asks models, [Tools]
// carry out calls behind their guards, a [Recorder] writes down what happened.
//
// # One run
//
// A run has a fixed order: build the prompt, prepare the request, call the
// model, process the answer, record. The call is a conversation in rounds; a
// round is one model answer with any number of tool calls. Calls are carried
// out in their order, each with a result of its own; a failing call is an error
// result and ends nothing. The run ends with an answer that calls no tool, or
// with the submit call of an agent that has one.
//
// # What a model may get wrong
//
// A call that arrived malformed or cut is never carried out; the model is told
// why. An answer that was empty, cut by the output limit, withheld by a filter,
// or that the agent cannot use is sent back with the reason, once for each
// reason. Text is taken for more than text in exactly these cases, after
// thinking tags were cut out of it:
//
//   - Where a result is wanted: one JSON object, bare or in the one fenced block
//     of the text, also as {"name":"submit_…","arguments":{…}}.
//   - Everywhere: a text that is nothing but {"name":…,"arguments":{…}}, bare,
//     fenced or in <tool_call> tags, with the name of a tool of the role. It is
//     carried out as that call, under the same checks.
//
// # What bounds it
//
// The number of rounds (LIMIT_REACHED), and LOOP_DETECTED: the same call three
// times in a row, two calls in turn three times, or a file that gets the same
// content a third time. The first detection is told to the model as the result
// of that call, which is not carried out; the second ends the run. A request
// over the model's window is shortened, its longest tool results first, before
// the run gives up.
//
// # What it guarantees and refuses
//
// Every text is redacted before it is sent or recorded. A run is deterministic
// in the answers and results that it gets, so a repeated one replays from a
// journal: no time and no random value enters a request, and the ids of calls
// are unique within a task. A panic in an agent, tool or caller is returned as
// an error. A model's claim to have done something has no effect here.
package loop
