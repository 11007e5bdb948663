package staging

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/writ-dev/writ"
)

// target judges a path as one that is to be written: first the guard, by name,
// disk, protected list and lock set, then what else is staged.
func (o *Overlay) target(op, given string) (string, error) {
	rel, err := o.o.Guard.JudgeWrite(given)
	if err != nil {
		return "", err
	}
	return rel, o.fits(op, rel)
}

// fits refuses a path that cannot stand beside the other staged ones: a file
// where another one needs a folder, and two spellings of one name, which are
// one file on many a disk.
func (o *Overlay) fits(op, rel string) error {
	folded := fold(rel)
	for other, c := range o.snapshot() {
		if other == rel || c.Status != writ.ChangeStaged || c.AfterSHA256 == "" {
			continue
		}
		switch {
		case strings.HasPrefix(other, rel+"/"):
			return refusal(writ.CodePathInvalid, op, rel, "%s is a folder, since this task writes %s", rel, other)
		case strings.HasPrefix(rel, other+"/"):
			return refusal(writ.CodePathInvalid, op, rel, "%s is a file, since this task writes it", other)
		case fold(other) == folded:
			return refusal(writ.CodePathInvalid, op, rel, "%s is a second spelling of %s", rel, other)
		}
	}
	return nil
}

// fold brings the spellings of a name together that differ by case or by
// Unicode form alone.
func fold(rel string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(rel))))
}

// admit judges the content of a write: first whether the language's checker
// takes it, then whether it is text where text stood.
func (o *Overlay) admit(ctx context.Context, v *view, rel string, before, now, after image) error {
	if err := o.gate(ctx, v, rel, before, after, named{rel, before}); err != nil {
		return err
	}
	if !text(after.content) && (!now.exists() || text(now.content)) {
		return refusal(writ.CodeBinaryFile, "write", rel, "the content of %s is not text", rel)
	}
	return nil
}

// text reports whether content is UTF-8 without NUL bytes, or UTF-16 with its
// mark. Another encoding may be kept where it stood, never introduced.
func text(content []byte) bool {
	if bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")) {
		return true
	}
	return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0
}

// named is a version of a file with the name that tells its language.
type named struct {
	path string
	image
}

// gate is the syntax gate: content that its checker calls invalid is not
// staged. What was invalid in the workspace already may stay so, since nobody
// could repair such a file in steps otherwise; the verification has the last
// word. A suspect verdict never blocks.
func (o *Overlay) gate(ctx context.Context, v *view, rel string, before, after image, source named) error {
	verdict := o.o.Syntax(ctx, rel, after.content)
	if verdict.Verdict != writ.VerdictInvalid {
		return nil
	}
	if source.exists() && o.o.Syntax(ctx, source.path, source.content).Verdict == writ.VerdictInvalid {
		return nil
	}
	err := refusal(writ.CodeSyntaxInvalid, "write", rel, "%s", describe(rel, verdict))
	o.o.Ledger.Emit(writ.EventChangeRejected, v.agent, changeEvent{
		Path: rel, Op: opOf(before, after, ""), Status: writ.ChangeRejected, Step: v.step,
		BeforeSHA256: before.sha, AfterSHA256: after.sha, Code: err.Code, Reason: err.Msg,
	})
	return err
}

// describe names the place of a syntax error as compilers do.
func describe(rel string, s writ.Syntax) string {
	place := rel
	if s.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, s.Line)
	}
	if s.Line > 0 && s.Column > 0 {
		place = fmt.Sprintf("%s:%d", place, s.Column)
	}
	return place + ": " + s.Message
}
