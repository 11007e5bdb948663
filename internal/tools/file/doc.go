// Package file holds the file tools of the agents: read_file, list_files and
// search_text for every role, and write_file, edit_file, delete_file,
// move_file, request_file and run_command for the Coder.
//
// The tools have no access to a disk. They act through the [writ.Workspace] of
// the call, which judges each path and stages each write; so a tool can do
// nothing that the workspace would not let it do. What a tool adds is that a
// model cannot destroy what it does not know, and is told in each case what to
// do instead.
//
// # Shown
//
// A file counts as shown to an agent once read_file gave it all of the file at
// once, or once the agent itself wrote it. A part of a file counts as nothing.
// write_file on an existing file demands that its present content was shown.
// edit_file does not, since an exact match proves knowledge; but a file that
// changed after it was shown is STALE_FILE for both, until it is read again.
// So are delete_file and move_file then.
//
// # Content
//
// Content is judged after the path: what package edit finds to be a
// placeholder, an emptied file, chat or a fence is refused; only if the path
// would have been refused as well, that refusal is the answer. A write that
// changes nothing is refused. Byte order mark, line ends and encoding of a file
// are kept.
//
// # What is shown
//
// Contents, names and hits are data and come exactly as they are, within
// bounds; what is cut says how much of how much is there. Names in messages
// have control characters and hidden characters escaped. Binary files are
// never shown.
package file
