package staging

import (
	"fmt"
	"io/fs"
	"strings"
)

// contextLines is how many unchanged lines stand around a difference.
const contextLines = 3

// filePatch is one file of a unified diff. A side that does not exist has the
// name /dev/null.
type filePatch struct {
	from, to      string // workspace-relative paths; they differ for a move
	before, after []byte
	existed, is   bool
	oldMode, mode fs.FileMode
}

// write renders the file as git does, so that git apply and patch read it.
func (p filePatch) write(b *strings.Builder) {
	oldName, newName := gitName("a/", p.from), gitName("b/", p.to)
	fmt.Fprintf(b, "diff --git %s %s\n", oldName, newName)
	p.writeModes(b)
	if p.from != p.to {
		fmt.Fprintf(b, "rename from %s\nrename to %s\n", gitName("", p.from), gitName("", p.to))
	}
	if string(p.before) == string(p.after) {
		return
	}
	if !p.existed {
		oldName = "/dev/null"
	}
	if !p.is {
		newName = "/dev/null"
	}
	if binary(p.before) || binary(p.after) {
		fmt.Fprintf(b, "Binary files %s and %s differ\n", oldName, newName)
		return
	}
	fmt.Fprintf(b, "--- %s%s\n+++ %s%s\n", oldName, nameEnd(oldName), newName, nameEnd(newName))
	writeHunks(b, splitLines(p.before), splitLines(p.after))
}

// writeModes tells of a file that came, went, or changed its mode. Git knows
// two modes for files, so only the executable bit counts.
func (p filePatch) writeModes(b *strings.Builder) {
	switch {
	case !p.existed:
		fmt.Fprintf(b, "new file mode %s\n", gitMode(p.mode))
	case !p.is:
		fmt.Fprintf(b, "deleted file mode %s\n", gitMode(p.oldMode))
	case gitMode(p.oldMode) != gitMode(p.mode):
		fmt.Fprintf(b, "old mode %s\nnew mode %s\n", gitMode(p.oldMode), gitMode(p.mode))
	}
}

// writeHunks groups differences whose context would touch into one hunk.
func writeHunks(b *strings.Builder, before, after []string) {
	spans := compareLines(before, after)
	for len(spans) > 0 {
		n := 1
		for n < len(spans) && spans[n].from-spans[n-1].to <= 2*contextLines {
			n++
		}
		writeHunk(b, before, after, spans[:n])
		spans = spans[n:]
	}
}

func writeHunk(b *strings.Builder, before, after []string, spans []span) {
	first, last := spans[0], spans[len(spans)-1]
	lead := min(contextLines, first.from)
	tail := min(contextLines, len(before)-last.to)
	oldStart, oldEnd := first.from-lead, last.to+tail
	newStart, newEnd := first.replFrom-lead, last.replTo+tail
	fmt.Fprintf(b, "@@ -%s +%s @@\n", hunkRange(oldStart, oldEnd), hunkRange(newStart, newEnd))
	at := oldStart
	for _, s := range spans {
		writeSigned(b, ' ', before[at:s.from])
		writeSigned(b, '-', before[s.from:s.to])
		writeSigned(b, '+', after[s.replFrom:s.replTo])
		at = s.to
	}
	writeSigned(b, ' ', before[at:oldEnd])
}

// hunkRange is start and length as a hunk header has them: an empty range
// names the line before it, a single line leaves the length out.
func hunkRange(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprintf("%d", from+1)
	default:
		return fmt.Sprintf("%d,%d", from+1, to-from)
	}
}

func writeSigned(b *strings.Builder, sign byte, lines []string) {
	for _, line := range lines {
		b.WriteByte(sign)
		b.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

func gitMode(mode fs.FileMode) string {
	if mode&0o111 != 0 {
		return "100755"
	}
	return "100644"
}

// gitName quotes a name as git does where it would break a line of the patch.
func gitName(prefix, name string) string {
	if !strings.ContainsAny(name, "\"\\") && strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0 {
		return prefix + name
	}
	var b strings.Builder
	b.WriteByte('"')
	b.WriteString(prefix)
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// nameEnd is the tab that ends a name with a blank, so that patch does not
// take the rest of it for a date.
func nameEnd(name string) string {
	if strings.Contains(name, " ") {
		return "\t"
	}
	return ""
}
