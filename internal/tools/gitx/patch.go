package gitx

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Side is a file before or after a change.
type Side struct {
	Content []byte
	Mode    fs.FileMode
}

// PatchFile is one file of a patch. Before is nil for a new file and After for
// a removed one; From is the old path of a moved one.
type PatchFile struct {
	Path   string
	From   string
	Before *Side
	After  *Side
}

// contextLines stand around each change, as with git.
const contextLines = 3

// DeliverPatch writes the changes as a patch in git's format, binary files
// included, with paths from the top of the work tree. With a message it is a
// mail for git am, without one a plain diff; git apply takes both. It needs no
// repository and asks git only for the author's name.
func (r *Repo) DeliverPatch(ctx context.Context, message string, files []PatchFile) ([]byte, error) {
	var out bytes.Buffer
	if message != "" {
		r.mailHead(ctx, &out, message)
	}
	moved := map[string]bool{}
	for _, f := range files {
		if f.From != "" && f.After != nil {
			moved[f.From] = true
		}
	}
	for _, f := range files {
		if f.After == nil && (f.Before == nil || moved[f.Path]) {
			continue
		}
		if err := r.patchFile(&out, f); err != nil {
			return nil, fmt.Errorf("deliver patch: %s: %w", f.Path, err)
		}
	}
	if message != "" {
		out.WriteString("-- \nwrit\n")
	}
	return out.Bytes(), nil
}

// mailHead writes the headers and the message. A line of the message that git
// would take for the beginning of a diff is moved in by a blank: the message
// may come from a model.
func (r *Repo) mailHead(ctx context.Context, out *bytes.Buffer, message string) {
	author := r.identity(ctx, "AUTHOR")
	subject, body, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(message, "\r", "")), "\n")
	fmt.Fprintf(out, "From %040d Mon Sep 17 00:00:00 2001\n", 0)
	fmt.Fprintf(out, "From: %s <%s>\n", mime.QEncoding.Encode("utf-8", author.name), author.email)
	fmt.Fprintf(out, "Date: %s\n", r.now().Format("Mon, 2 Jan 2006 15:04:05 -0700"))
	fmt.Fprintf(out, "Subject: [PATCH] %s\n", mime.QEncoding.Encode("utf-8", subject))
	out.WriteString("MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n\n")
	for line := range strings.Lines(strings.TrimSpace(body)) {
		for _, begin := range []string{"diff", "---", "+++", "@@", "Index:", "From ", ">From ", "GIT binary"} {
			if strings.HasPrefix(line, begin) {
				out.WriteByte(' ')
				break
			}
		}
		out.WriteString(line)
	}
	out.WriteString("\n---\n\n")
}

// patchFile writes one file's part.
func (r *Repo) patchFile(out *bytes.Buffer, f PatchFile) error {
	before, after := f.Before, f.After
	to := r.prefix + f.Path
	from := to
	if f.From != "" {
		from = r.prefix + f.From
	}
	fmt.Fprintf(out, "diff --git %s %s\n", quote("a/"+from), quote("b/"+to))
	switch {
	case before == nil:
		fmt.Fprintf(out, "new file mode %s\n", gitMode(after.Mode))
	case after == nil:
		fmt.Fprintf(out, "deleted file mode %s\n", gitMode(before.Mode))
	case gitMode(before.Mode) != gitMode(after.Mode):
		fmt.Fprintf(out, "old mode %s\nnew mode %s\n", gitMode(before.Mode), gitMode(after.Mode))
	}
	if from != to {
		fmt.Fprintf(out, "rename from %s\nrename to %s\n", quote(from), quote(to))
	}
	old, new := content(before), content(after)
	if bytes.Equal(old, new) && before != nil && after != nil {
		return nil
	}
	fmt.Fprintf(out, "index %s..%s", blobID(before), blobID(after))
	if before != nil && after != nil && gitMode(before.Mode) == gitMode(after.Mode) {
		fmt.Fprintf(out, " %s", gitMode(after.Mode))
	}
	out.WriteByte('\n')
	if bytes.IndexByte(old, 0) >= 0 || bytes.IndexByte(new, 0) >= 0 {
		return binaryPatch(out, old, new)
	}
	return textPatch(out, name(before, "a/"+from), name(after, "b/"+to), string(old), string(new))
}

func content(s *Side) []byte {
	if s == nil {
		return nil
	}
	return s.Content
}

// name is a file's name on a "---" or "+++" line. A tab ends one with a blank.
func name(s *Side, path string) string {
	if s == nil {
		return "/dev/null"
	}
	quoted := quote(path)
	if strings.Contains(path, " ") && quoted == path {
		return path + "\t"
	}
	return quoted
}

// blobID is the id that git gives to the content.
func blobID(s *Side) string {
	if s == nil {
		return strings.Repeat("0", 2*sha1.Size)
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(s.Content))
	h.Write(s.Content)
	return hex.EncodeToString(h.Sum(nil))
}

func textPatch(out *bytes.Buffer, oldName, newName, old, new string) error {
	if old == new {
		return nil
	}
	hunks, err := udiff.ToUnified("a", "b", old, udiff.Lines(old, new), contextLines)
	if err != nil {
		return err
	}
	_, hunks, _ = strings.Cut(hunks, "\n")
	_, hunks, _ = strings.Cut(hunks, "\n")
	fmt.Fprintf(out, "--- %s\n+++ %s\n%s", oldName, newName, hunks)
	return nil
}

// quote writes a path as git does: as it is, or in quotes with C escapes if it
// has a quote, a backslash or a control character.
func quote(path string) string {
	plain := true
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
			plain = false
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
			plain = false
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	if plain {
		return path
	}
	return b.String()
}
