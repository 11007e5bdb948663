package testcount

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	writ "github.com/writ-dev/writ"
)

// maxTestOutput bounds what is held of one test until its end is known.
const maxTestOutput = 64 << 10

// goEvent is one line of `go test -json`.
type goEvent struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

// goJSON reads the event stream of go test. Without -v it shows what go test
// would have shown: a passed package is one line, a failed one shows the
// output of its failed tests.
type goJSON struct {
	out     io.Writer
	verbose bool
	counts  writ.TestCounts
	text    *text // places failures
	pkgs    map[string]*goPackage
	seen    bool // any event at all
}

type goPackage struct {
	failed bool
	own    strings.Builder
	tests  map[string]*strings.Builder
	order  []string
}

func newGoJSON(out io.Writer, verbose bool) *goJSON {
	g := &goJSON{out: out, verbose: verbose, pkgs: make(map[string]*goPackage)}
	g.text = newText(&g.counts)
	return g
}

func (g *goJSON) line(s string) {
	var e goEvent
	if !strings.HasPrefix(s, "{") || json.Unmarshal([]byte(s), &e) != nil || e.Action == "" {
		// go itself speaks here: a pattern that matches nothing, a broken go.mod.
		g.show(s + "\n")
		return
	}
	g.seen = true
	switch e.Action {
	case "output":
		g.output(e)
	case "build-output":
		g.show(e.Output)
	case "pass", "fail", "skip":
		g.end(e)
	}
}

// output keeps a test's text until its end, or shows it at once.
func (g *goJSON) output(e goEvent) {
	if g.verbose {
		g.show(e.Output)
		return
	}
	p := g.pkg(e.Package)
	b := &p.own
	if e.Test != "" {
		if p.tests[e.Test] == nil {
			p.tests[e.Test] = &strings.Builder{}
			p.order = append(p.order, e.Test)
		}
		b = p.tests[e.Test]
	}
	if b.Len() < maxTestOutput {
		b.WriteString(e.Output)
	}
}

// end counts a test, or shows a package.
func (g *goJSON) end(e goEvent) {
	p := g.pkg(e.Package)
	if e.Test != "" {
		g.counts.Run++
		switch e.Action {
		case "pass":
			g.counts.Passed++
		case "skip":
			g.counts.Skipped++
		case "fail":
			g.counts.Failed++
			p.failed = true
		}
		if e.Action != "fail" {
			delete(p.tests, e.Test)
		}
		return
	}
	if e.Action == "fail" && !p.failed {
		// It did not build, or ended outside a test.
		g.counts.Run++
		g.counts.Failed++
	}
	if !g.verbose {
		g.showPackage(p, e.Action)
	}
	delete(g.pkgs, e.Package)
}

func (g *goJSON) showPackage(p *goPackage, action string) {
	for _, name := range p.order {
		if b := p.tests[name]; b != nil {
			for line := range strings.Lines(b.String()) {
				if !strings.HasPrefix(strings.TrimSpace(line), "=== ") {
					g.show(line)
				}
			}
		}
	}
	for line := range strings.Lines(p.own.String()) {
		if action != "fail" && !strings.HasPrefix(line, "ok ") && !strings.HasPrefix(line, "? ") && !strings.Contains(line, "[no test") {
			continue
		}
		g.show(line)
	}
}

// show prints text and looks for failures in it.
func (g *goJSON) show(s string) {
	// The writer is a bounded buffer that takes everything.
	_, _ = io.WriteString(g.out, s)
	for line := range strings.Lines(s) {
		g.text.place(strings.TrimRight(line, "\r\n"))
	}
}

func (g *goJSON) pkg(name string) *goPackage {
	p := g.pkgs[name]
	if p == nil {
		p = &goPackage{tests: make(map[string]*strings.Builder)}
		g.pkgs[name] = p
	}
	return p
}

func (g *goJSON) result() (*writ.TestCounts, []writ.Finding) {
	for name, p := range g.pkgs {
		// The stream was cut: what was running did not pass.
		if len(p.tests) > 0 || p.own.Len() > 0 {
			g.show(fmt.Sprintf("%s was cut off\n", name))
			g.showPackage(p, "fail")
		}
	}
	clear(g.pkgs)
	if !g.seen {
		return nil, g.text.findings
	}
	counts := g.counts
	return &counts, g.text.findings
}
