package edit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
)

// The bounds of what an error shows of a file.
const (
	maxCandidates = 3
	maxShown      = 12  // lines of one candidate
	maxShownLine  = 160 // bytes of one line
	maxPlaces     = 10
	maxCompared   = 40 // lines of the text that was not found
)

// A place is near when likeEnough of it is alike, and every place is shown
// that is at most nearlyBest below the best.
const (
	likeEnough = 0.55
	nearlyBest = 0.15
)

// notFound shows every place that is nearly what was looked for. It names all
// that are about equally near, so that a look-alike is seen for what it is.
func notFound(path, body, old string) *writ.Error {
	e := refuse(writ.CodeEditNotFound, path, "the text to replace does not stand in "+show.Line(path), "")
	lines, wanted := splitLines(body), splitLines(old)
	hint := "copy it exactly as read_file shows it"
	if numberedCopy(wanted) {
		hint = "leave the line numbers out"
	}
	places := nearest(lines, wanted)
	if len(places) == 0 {
		e.Hint = hint + "; nothing in the file comes near, which has " + count(len(lines), "line")
		return e
	}
	for _, first := range places {
		if spacedAlike(lines[first:], wanted) {
			hint += fmt.Sprintf("; from line %d on only white space differs", first+1)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s; nearest lines:", hint)
	for i, first := range places {
		if i > 0 {
			b.WriteString("\n     --")
		}
		writeLines(&b, lines, first, min(len(wanted), maxShown))
	}
	e.Hint = b.String()
	return e
}

func ambiguous(path, body string, places []place) *writ.Error {
	e := refuse(writ.CodeEditAmbiguous, path,
		fmt.Sprintf("the text to replace stands in %s places of %s", number(places), show.Line(path)), "")
	lines := splitLines(body)
	var b strings.Builder
	b.WriteString("add lines around it until it is unique, or set replace_all; the places:")
	for _, p := range places[:min(len(places), maxPlaces)] {
		writeLines(&b, lines, strings.Count(body[:p.start], lf), 1)
	}
	if len(places) > maxPlaces {
		fmt.Fprintf(&b, "\n     and %d more", len(places)-maxPlaces)
	}
	e.Hint = b.String()
	return e
}

func number(places []place) string {
	if len(places) >= maxMatches {
		return fmt.Sprintf("at least %d", maxMatches)
	}
	return strconv.Itoa(len(places))
}

func writeLines(b *strings.Builder, lines []string, first, n int) {
	for i := first; i < min(first+n, len(lines)); i++ {
		line := lines[i]
		if len(line) > maxShownLine {
			line = strings.ToValidUTF8(line[:maxShownLine], "") + "…"
		}
		fmt.Fprintf(b, "\n%5d| %s", i+1, show.Escape(line))
	}
}

// splitLines gives the lines without their ends; a last line end opens no
// further line.
func splitLines(text string) []string {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSuffix(text, lf), crlf, lf), lf)
	if last := len(lines) - 1; strings.HasSuffix(lines[last], "\r") {
		lines[last] = strings.TrimSuffix(lines[last], "\r")
	}
	return lines
}

// nearest returns the first lines, counted from 0, of the places that are most
// like wanted, in the order of the file. Its work is the product of both
// lengths, by a few machine words each.
func nearest(lines, wanted []string) []int {
	wanted = wanted[:min(len(wanted), maxCompared)]
	want := make([]signature, len(wanted))
	for i, line := range wanted {
		want[i] = sign(line)
	}
	have := make([]signature, len(lines))
	for i, line := range lines {
		have[i] = sign(line)
	}
	type candidate struct {
		first int
		score float64
	}
	var found []candidate
	for first := range have {
		score, weight := 0.0, 0.0
		for i, w := range want {
			if w.size == 0 {
				continue
			}
			weight += float64(w.size)
			if first+i < len(have) {
				score += float64(w.size) * w.likeness(have[first+i])
			}
		}
		if weight > 0 && score/weight >= likeEnough {
			found = append(found, candidate{first, score / weight})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		default:
			return 0
		}
	})
	var chosen []int
	for _, c := range found {
		if len(chosen) == maxCandidates || c.score < found[0].score-nearlyBest {
			break
		}
		overlaps := func(other int) bool { return max(c.first-other, other-c.first) < len(wanted) }
		if !slices.ContainsFunc(chosen, overlaps) {
			chosen = append(chosen, c.first)
		}
	}
	slices.Sort(chosen)
	return chosen
}

// numberedCopy says whether most lines begin with a line number, as a listing
// shows them.
func numberedCopy(lines []string) bool {
	n := 0
	for _, line := range lines {
		rest := strings.TrimLeft(strings.TrimLeft(line, " "), "0123456789")
		digits := len(strings.TrimLeft(line, " ")) - len(rest)
		rest = strings.TrimLeft(rest, " ")
		if digits > 0 && rest != "" && strings.ContainsRune("|:\t→│", []rune(rest)[0]) {
			n++
		}
	}
	return n > 0 && n*2 > len(lines)
}

func spacedAlike(lines, wanted []string) bool {
	if len(lines) < len(wanted) {
		return false
	}
	for i, line := range wanted {
		if strings.Join(strings.Fields(line), "") != strings.Join(strings.Fields(lines[i]), "") {
			return false
		}
	}
	return true
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
