package edit

import (
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
)

// A file of more than bigLines that is left with less than a shrunkPart-th of
// them needs only a weak mark to be refused.
const (
	bigLines   = 100
	shrunkPart = 5
)

// wholeHint is what to do instead of a placeholder.
const wholeHint = "write the whole content, or change only the part that differs with edit_file"

// Placeholder judges new content for path against what was there before, nil
// for a new file. It returns nil for honest content. Content that stands for
// code that is not there, and an emptied file, is SCHEMA_INVALID; chat or a
// Markdown fence in place of code is SYNTAX_INVALID, since it is no text of
// the file's language. The message names the rule and the line. Binary content
// is not judged.
func Placeholder(path string, old, content []byte) *writ.Error {
	before, ok := decode(old)
	after, okAfter := decode(content)
	if !ok || !okAfter || before.Body == after.Body {
		return nil
	}
	j := judgement{path: path, lang: languageOf(path), old: before.Body, body: after.Body}
	for _, rule := range []func() *writ.Error{j.emptied, j.chat, j.stub, j.placeholder} {
		if refused := rule(); refused != nil {
			return refused
		}
	}
	return nil
}

type judgement struct {
	path      string
	lang      language
	old, body string
}

func (j judgement) emptied() *writ.Error {
	if strings.TrimSpace(j.body) != "" || strings.TrimSpace(j.old) == "" {
		return nil
	}
	return refuse(writ.CodeSchemaInvalid, j.path,
		"emptied: the content is empty, and "+show.Line(j.path)+" is not",
		"write the whole content; delete_file removes a file")
}

// stub refuses a file that consists of the promise to write it.
func (j judgement) stub() *writ.Error {
	if j.lang.kind != kindCode && j.lang.kind != kindUnknown {
		return nil
	}
	lines := nonBlank(j.body)
	if len(lines) == 0 || len(lines) > 3 {
		return nil
	}
	found := remarks(j.lang, j.body)
	if len(found) != len(lines) || !compiled().stub.MatchString(normalise(found[0].body).words) {
		return nil
	}
	for _, r := range found {
		if !r.whole {
			return nil
		}
	}
	return j.refusal(found[0])
}

func (j judgement) placeholder() *writ.Error {
	lines := strings.Split(j.body, lf)
	known := make(map[string]bool)
	for _, line := range strings.Split(j.old, lf) {
		known[strings.TrimSpace(line)] = true
	}
	shrunk := j.shrunk(len(lines))
	for _, block := range blocks(remarks(j.lang, j.body)) {
		for _, r := range block {
			if r.line > len(lines) || known[strings.TrimSpace(lines[r.line-1])] {
				continue
			}
			if p := normalise(r.body); j.suspect(p, r, len(block)) || shrunk && p.mayStandForCode() {
				return j.refusal(r)
			}
		}
		if joined := join(block); joined != "" && !known[strings.TrimSpace(lines[block[0].line-1])] &&
			normalise(joined).standsForCode(block[0], j.lang.kind == kindUnknown) {
			return j.refusal(block[0])
		}
	}
	return nil
}

// suspect applies the rules to one remark. A long block of comment lines may
// show code as an example, which stands further in and is left alone.
func (j judgement) suspect(p phrase, r remark, block int) bool {
	const long = 3
	indented := strings.HasPrefix(r.body, "\t") || strings.HasPrefix(r.body, "    ")
	if r.fence || block > long && indented {
		return false
	}
	return p.standsForCode(r, r.bare || block > long || j.lang.kind == kindUnknown)
}

func (j judgement) shrunk(lines int) bool {
	before := strings.Count(j.old, lf) + 1
	return j.lang.kind != kindProse && before > bigLines && lines*shrunkPart < before
}

func (j judgement) refusal(r remark) *writ.Error {
	text := strings.TrimSpace(r.body)
	if len(text) > maxShownLine {
		text = strings.ToValidUTF8(text[:maxShownLine], "") + "…"
	}
	return refuse(writ.CodeSchemaInvalid, j.path,
		fmt.Sprintf("placeholder: line %d (%s) stands for code that is not there", r.line, show.Line(text)), wholeHint)
}

// blocks groups whole comment lines that follow each other.
func blocks(all []remark) [][]remark {
	var out [][]remark
	for i, r := range all {
		last := len(out) - 1
		if i > 0 && r.whole && !r.bare && all[i-1].whole && !all[i-1].bare && r.line == all[i-1].line+1 {
			out[last] = append(out[last], r)
			continue
		}
		out = append(out, []remark{r})
	}
	return out
}

// join reads a remark that was broken into two or three lines as one.
func join(block []remark) string {
	if len(block) < 2 || len(block) > 3 {
		return ""
	}
	words := make([]string, 0, len(block))
	for _, r := range block {
		words = append(words, strings.Trim(strings.TrimSpace(r.body), "*"))
	}
	return strings.Join(words, " ")
}

func nonBlank(text string) []string {
	var lines []string
	for _, line := range strings.Split(text, lf) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
