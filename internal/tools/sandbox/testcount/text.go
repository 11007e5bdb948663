package testcount

import (
	"regexp"
	"strconv"
	"strings"

	writ "github.com/writ-dev/writ"
)

// text reads the summaries of all other runners, and of go test in text form.
type text struct {
	rules    []rule
	places   []placeRule
	escapes  *regexp.Regexp
	sum      writ.TestCounts
	known    bool // a summary was read
	pending  *waiting
	findings []writ.Finding

	python    int // tests that unittest says it ran, until its verdict comes
	goOK      int // packages that passed without telling how many tests
	nodeFiles int // files that node counts as tests of their own
}

// rule reads one kind of summary line.
type rule struct {
	hint string // a literal that the line must hold
	re   *regexp.Regexp
	take func(t *text, m []string)
}

// newText returns a reader; with counts only failures are placed, and the
// counts are somebody else's.
func newText(counts *writ.TestCounts) *text {
	t := &text{places: placeRules(), escapes: regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")}
	if counts == nil {
		t.rules = summaryRules()
	}
	return t
}

func (t *text) line(s string) {
	if strings.Contains(s, "\x1b") {
		s = t.escapes.ReplaceAllString(s, "")
	}
	for _, r := range t.rules {
		if !strings.Contains(s, r.hint) {
			continue
		}
		if m := r.re.FindStringSubmatch(s); m != nil {
			r.take(t, m)
		}
	}
	t.place(s)
}

func (t *text) result() (*writ.TestCounts, []writ.Finding) {
	if t.python > 0 {
		// unittest was cut before its verdict: what it ran did not pass.
		t.add(0, t.python, 0)
		t.python = 0
	}
	if !t.known || (t.goOK > 0 && t.sum == writ.TestCounts{}) {
		return nil, t.findings
	}
	counts := t.sum
	files := min(t.nodeFiles, counts.Passed)
	counts.Run, counts.Passed = counts.Run-files, counts.Passed-files
	return &counts, t.findings
}

// add takes in one summary, or a part of one.
func (t *text) add(passed, failed, skipped int) {
	t.known = true
	t.sum.Run += passed + failed + skipped
	t.sum.Passed += passed
	t.sum.Failed += failed
	t.sum.Skipped += skipped
}

// number reads a count from foreign text; what is too long for one is none.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n > 1<<30 {
		return 0
	}
	return n
}
