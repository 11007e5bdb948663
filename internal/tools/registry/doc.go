// Package registry holds the tools and is the one door to them: whatever a
// model calls passes [Registry.Call].
//
// # The order of a call
//
//  1. The name. An unknown one is TOOL_UNKNOWN, a known one that the role does
//     not list is TOOL_DENIED, which is a denial.
//  2. The arguments: one strict JSON object, in which no key stands twice at
//     any depth, within [MaxArgsBytes] and [MaxDepth]; then the tool's JSON
//     Schema. What does not fit is SCHEMA_INVALID and names the argument.
//  3. The tool's guard.
//  4. The tool itself, under a deadline (TOOL_TIMEOUT) and with its panics
//     caught.
//
// The answer is always one JSON object: {"ok":true,…} with the fields of the
// tool's result, or {"ok":false,"error":{"code","message"}}. It is valid JSON
// and valid UTF-8, and bounded: a text part over [MaxText] is cut and says
// "truncated: N of M bytes".
//
// # What is tolerated
//
// Small models miss in few and typical ways. Exactly these are taken for what
// they plainly mean; every other deviation is told to the model:
//
//   - A name that differs from exactly one tool of the role only by case, by
//     dashes for underscores, by a "functions." or "tools." in front, or (from
//     six letters on, digits excepted, and not for tools of other servers) by
//     one letter.
//   - A number or boolean written as text where the schema wants a number or
//     boolean: "12", "true".
//   - An array or object written as JSON text where the schema wants an array
//     or object.
//   - 3.0 where the schema wants an integer.
//   - null for an argument that may be left out.
//   - No arguments at all, or null, for none.
//
// # What it guarantees and refuses
//
// A tool without name, description, object schema, effects or guard is refused
// at registration, and so is a second tool of the same name. Schemas come from
// other servers too, so one that refers outside itself, or into a circle that
// a check could never leave, is refused as well. A Registry is safe for
// concurrent use. It never decides on paths and contents: that is the guard's
// and the workspace's business.
package registry
