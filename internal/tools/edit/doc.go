// Package edit changes texts exactly, on bytes, and refuses content that only
// stands for code. It is pure: it reads and writes no file.
//
// # Exact or refused
//
// [Apply] replaces text that stands in a file byte for byte, exactly once (or
// everywhere, where the edit says replace_all). Nothing is ever matched by
// likeness. The only difference that is bridged is the line end: an edit
// written with LF matches a CRLF file. Several edits are applied in order,
// each to what the one before left; all are done or none. What was not found
// is EDIT_NOT_FOUND with every place that comes near, by line numbers; what
// stands in several places is EDIT_AMBIGUOUS with these places.
//
// # Bytes are kept
//
// A file keeps its byte order mark, its line ends, its encoding and a missing
// last line end ([Apply], and [Rewrite] for whole contents). A file in UTF-16
// with a mark, or in an 8-bit encoding, is edited only if every other byte of
// it stays as it was; a character that its encoding lacks is refused. Files
// that are no text are BINARY_FILE.
//
// # Placeholders
//
// [Placeholder] finds what models write in place of code they were to write
// whole: "rest unchanged" and its kin in comments of many programming
// languages and in several human ones, emptied files, Markdown fences and chat
// around code. It judges only what a write brings anew, looks into comments
// and not into strings, and leaves alone what is code: Python's ellipsis,
// spread operators, prose in documents. It cannot know intent; a short file
// that lost its body without leaving such a mark is for the tests to find.
package edit
