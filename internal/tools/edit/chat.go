package edit

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
)

// opening recognises how a chat begins. It is asked only about lines that hold
// no sign of code.
var opening = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:sure|certainly|of course|absolutely|great|okay|ok|alright|here(?:'s| is| are|’s)|below (?:is|are)|i(?:'ve| have|'ll| will| am|'m|’ve|’ll) |the (?:updated|corrected|following|modified|complete|full|fixed|new) |this is the |as requested|let me|` +
		`好的|当然|以下是|这是|下面是|はい|もちろん|以下は|다음은|물론|sicher|natürlich|gerne|hier ist|klar|claro|por supuesto|aquí|voici|bien sûr|конечно|вот )`)
})

// chat refuses a source file that begins with a Markdown fence, or with
// somebody's words about it.
func (j judgement) chat() *writ.Error {
	if j.lang.kind == kindProse || j.lang.kind == kindUnknown {
		return nil
	}
	first, number := firstLine(j.body)
	if old, _ := firstLine(j.old); first == "" || first == old {
		return nil
	}
	fenced := strings.Contains(j.body, "\n```") || strings.HasPrefix(first, "```")
	switch {
	case strings.HasPrefix(first, "```"), strings.HasPrefix(first, "~~~"):
		return j.noCode("fence", number, first)
	case speech(first) && (fenced || j.lang.kind == kindCode):
		return j.noCode("chat", number, first)
	default:
		return nil
	}
}

// speech says whether a line is a sentence to a person and no code: several
// words (or, in a script without blanks, several letters), an opening of chat,
// and none of the signs that code has.
func speech(line string) bool {
	if !opening().MatchString(line) || strings.ContainsAny(line, "=;{}()<>") {
		return false
	}
	letters := []rune(line)
	long := len(strings.Fields(line)) >= 3 || len(letters) >= 4 && len(line) > 2*len(letters)
	return long && strings.ContainsRune(":.!?。：！？", letters[len(letters)-1])
}

func (j judgement) noCode(rule string, number int, line string) *writ.Error {
	if len(line) > maxShownLine {
		line = strings.ToValidUTF8(line[:maxShownLine], "") + "…"
	}
	return refuse(writ.CodeSyntaxInvalid, j.path,
		fmt.Sprintf("%s: line %d (%s) is no part of the file", rule, number, show.Line(line)),
		"send the bare content of the file, without words or a Markdown fence around it")
}

func firstLine(text string) (string, int) {
	for i, line := range strings.Split(text, lf) {
		if line = strings.TrimSpace(line); line != "" {
			return line, i + 1
		}
	}
	return "", 0
}
