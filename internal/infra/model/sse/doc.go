// Package sse reads server-sent events from a foreign server.
//
// It takes what real servers send: LF, CRLF or CR ends, a byte-order mark,
// "data:" with or without a blank, several data lines to one event, comments,
// blank data and a last event without its empty line. Only the data and the
// event's name are kept.
//
// It guarantees that no line and no event grows over [MaxEvent] in memory, and
// that a whole stream ends with [ErrTooLong] after its limit, comments
// included. An event without data is never returned.
package sse
