// Package qa answers questions about a workspace with reading tools only, and
// checks the answer: it is not empty, and the places it cites exist.
package qa
