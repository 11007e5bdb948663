package gitx

import (
	"bytes"
	"context"
	"strings"
)

// lineEnds gives the bytes to store for a file: its own, unless they have CRLF
// and the repository keeps LF for the path. This is the one conversion that git
// makes without running a program, so we make it too; a file that has CRLF in
// HEAD keeps it, as git's own rule says.
func (r *Repo) lineEnds(ctx context.Context, head string, f BranchFile) ([]byte, error) {
	if !bytes.Contains(f.Content, []byte("\r\n")) {
		return f.Content, nil
	}
	keepsLF, err := r.keepsLF(ctx, f)
	if err != nil || !keepsLF {
		return f.Content, err
	}
	if head != "" {
		old, err := r.git.run(ctx, call{args: []string{"cat-file", "blob", head + ":" + r.prefix + f.Path}})
		if err == nil && bytes.Contains(old, []byte("\r\n")) {
			return f.Content, nil
		}
	}
	return bytes.ReplaceAll(f.Content, []byte("\r\n"), []byte("\n")), nil
}

// keepsLF asks the attributes text and eol and the setting core.autocrlf.
func (r *Repo) keepsLF(ctx context.Context, f BranchFile) (bool, error) {
	out, err := r.git.run(ctx, call{args: []string{"check-attr", "-z", "text", "eol", "--", f.Path}})
	if err != nil {
		return false, err
	}
	attr := map[string]string{}
	for fields := strings.Split(string(out), "\x00"); len(fields) >= 3; fields = fields[3:] {
		attr[fields[1]] = fields[2]
	}
	text := !bytes.ContainsRune(f.Content, 0)
	switch attr["text"] {
	case "set":
		return true, nil
	case "unset":
		return false, nil
	case "auto":
		return text, nil
	}
	if attr["eol"] == "lf" || attr["eol"] == "crlf" {
		return true, nil
	}
	setting, err := r.git.line(ctx, call{user: true, args: []string{"config", "--get", "core.autocrlf"}})
	if err != nil {
		return false, nil // not set
	}
	switch strings.ToLower(setting) {
	case "true", "yes", "on", "1", "input", "":
		return text, nil
	}
	return false, nil
}
