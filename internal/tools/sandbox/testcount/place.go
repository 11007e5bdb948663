package testcount

import (
	"cmp"
	"regexp"
	"strings"

	writ "github.com/writ-dev/writ"
)

// The rules that findings bear.
const (
	RuleTest    = "test.failed"
	RuleCompile = "build.failed"
)

// placeRule finds a failure with its file and line.
type placeRule struct {
	hint string
	re   *regexp.Regexp // groups path, line and, where it is on the same line, msg
	rule string
	wait wait
}

// wait says on which later line the message stands.
type wait int

const (
	onLine    wait = iota // on the same line
	nextLine              // on the next one that is not blank
	errorLine             // on the one that begins with error:, in TAP's details
	exception             // on the next one that is not indented and names an exception
)

// maxWait is how many lines a place waits for its message.
const maxWait = 200

// waiting is a place without its message.
type waiting struct {
	finding writ.Finding
	wait    wait
	left    int
}

// placeRules is the table of how tools name a place.
func placeRules() []placeRule {
	re := regexp.MustCompile
	return []placeRule{
		{".go:", re(`^\s{4,}(?P<path>[\w./-]+_test\.go):(?P<line>\d+): (?P<msg>.*)$`), RuleTest, onLine},
		{".go:", re(`^(?:vet: )?(?P<path>[\w./-]+\.go):(?P<line>\d+)(?::\d+)?: (?P<msg>.*)$`), RuleCompile, onLine},
		{".py:", re(`^(?P<path>[\w./-]+\.py):(?P<line>\d+): (?P<msg>\w*(?:Error|Exception|Failed)\b.*)$`), RuleTest, onLine},
		{"panicked at", re(`panicked at (?P<path>[^:]+\.rs):(?P<line>\d+):\d+:$`), RuleTest, nextLine},
		{" --> ", re(`^\s*--> (?P<path>[^:]+\.rs):(?P<line>\d+):\d+$`), RuleCompile, onLine},
		{"error TS", re(`^(?P<path>[^\s(]+)\((?P<line>\d+),\d+\): error (?P<msg>TS\d+: .*)$`), RuleCompile, onLine},
		{"test at ", re(`^test at (?P<path>\S+?):(?P<line>\d+):\d+$`), RuleTest, nextLine},
		{".java:[", re(`(?P<path>\S+\.java):\[(?P<line>\d+),\d+\] (?P<msg>.*)$`), RuleCompile, onLine},
		{"error:", re(`^(?P<path>[^\s:]+):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<msg>.*)$`), RuleCompile, onLine},
		{"File \"", re(`^\s*File "(?P<path>[^"]+\.py)", line (?P<line>\d+)`), RuleTest, exception},
		{"location: '", re(`^\s*location: '(?P<path>[^']+?):(?P<line>\d+):\d+'`), RuleTest, errorLine},
	}
}

// place looks for a failure in one line.
func (t *text) place(s string) {
	if len(t.findings) >= maxFindings || (t.pending != nil && t.settle(s)) {
		return
	}
	for _, r := range t.places {
		if !strings.Contains(s, r.hint) {
			continue
		}
		m := r.re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		f := writ.Finding{Rule: r.rule, Severity: writ.SeverityHigh, Path: m[r.re.SubexpIndex("path")], Line: number(m[r.re.SubexpIndex("line")])}
		f.EndLine = f.Line
		if i := r.re.SubexpIndex("msg"); i > 0 {
			f.Message = m[i]
		}
		if r.wait == onLine {
			f.Message = cmp.Or(f.Message, "it does not compile")
			t.findings = append(t.findings, f)
		} else {
			// Of a Python traceback the last frame stays: it is the place.
			t.pending = &waiting{finding: f, wait: r.wait, left: maxWait}
		}
		return
	}
}

// settle gives the waiting place its message and reports whether this line was
// it.
func (t *text) settle(s string) bool {
	w := t.pending
	trimmed := strings.TrimSpace(s)
	if w.left--; w.left < 0 {
		t.pending = nil
		return false
	}
	switch w.wait {
	case nextLine:
		if trimmed == "" {
			return false
		}
	case errorLine:
		value, ok := strings.CutPrefix(trimmed, "error: ")
		if !ok {
			return false
		}
		trimmed = strings.Trim(value, "'\"")
	case exception:
		name, _, _ := strings.Cut(trimmed, ":")
		if trimmed == "" || s[0] == ' ' || s[0] == '\t' || (!strings.HasSuffix(name, "Error") && !strings.HasSuffix(name, "Exception")) {
			return false
		}
	case onLine:
	}
	t.pending = nil
	w.finding.Message = trimmed
	t.findings = append(t.findings, w.finding)
	return true
}
