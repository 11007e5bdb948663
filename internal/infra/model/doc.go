// Package model holds what the wire adapters below it share: their options and
// one HTTP client that turns every way in which a model server can fail into
// one [writ.ModelError].
//
// A call is one POST. Two clocks watch it: FirstByte until the answer's headers
// are there, then Idle for each silence. An answer is judged by its status and
// its content type before a byte of it is believed: a sign-in page with status
// 200 is a protocol error that names the content type, an error object is an
// error whatever the status says, and a whole JSON answer to a request for a
// stream is handed on as one.
//
// Guaranteed: no request is sent twice; no redirect is followed to another
// host, so the key goes nowhere else; no error text holds the key, a control
// character, or more than 200 characters of a server's body; the connection is
// closed when the caller's context ends or [Stream.Close] is called.
//
// Refused: a base URL with user and password in it, and headers that are not
// one line.
package model
