package testcount

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	writ "github.com/writ-dev/writ"
)

const (
	maxLine     = 64 << 10 // bytes of a line that are looked at
	maxFindings = 50
)

// reader understands one form of output.
type reader interface {
	line(text string)
	result() (*writ.TestCounts, []writ.Finding)
}

// Counter reads the output of one run. Make one per run; its writers may be
// used from two goroutines.
type Counter struct {
	mu     sync.Mutex
	argv   []string
	json   bool
	reader reader
	open   []*lines
}

// New returns a counter for a command.
func New(run []string) *Counter {
	c := &Counter{argv: run}
	if at := goTest(run); at > 0 {
		c.json = true
		if !hasFlag(run, "json") {
			c.argv = slices.Insert(slices.Clone(run), at+1, "-json")
		}
	}
	return c
}

// Counts reads counts and failures from output that is complete and in text
// form, or go's JSON stream where run asks for it.
func Counts(run []string, output []byte) (*writ.TestCounts, []writ.Finding) {
	c := New(run)
	stdout, _, finish := c.Pipe(io.Discard)
	_, _ = stdout.Write(output)
	finish()
	return c.Result()
}

// Argv returns what to execute in place of the command: the same, or with the
// flag that makes go test tell its results as JSON.
func (c *Counter) Argv() []string { return c.argv }

// Pipe returns where the command's streams go; out gets the text for people.
// finish takes in a last line without an end and must be called once, after
// the command ended.
func (c *Counter) Pipe(out io.Writer) (stdout, stderr io.Writer, finish func()) {
	if c.json {
		c.reader = newGoJSON(out, hasFlag(c.argv, "v") || hasFlag(c.argv, "test.v"))
		stdout, stderr = c.lines(), c.lines()
	} else {
		c.reader = newText(nil)
		// One writer for both keeps the order of the streams.
		both := &tee{out: out, lines: c.lines()}
		stdout, stderr = both, both
	}
	return stdout, stderr, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, l := range c.open {
			l.flush()
		}
	}
}

// Result returns the counts, nil where they cannot be read, and the failures.
func (c *Counter) Result() (*writ.TestCounts, []writ.Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reader == nil {
		return nil, nil
	}
	return c.reader.result()
}

func (c *Counter) lines() *lines {
	l := &lines{counter: c}
	c.open = append(c.open, l)
	return l
}

// lines cuts a stream into lines of bounded length.
type lines struct {
	counter *Counter
	part    []byte
}

// Write never fails.
func (l *lines) Write(p []byte) (int, error) {
	l.counter.mu.Lock()
	defer l.counter.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.add(p)
			break
		}
		l.add(p[:end])
		l.flushLine()
		p = p[end+1:]
	}
	return n, nil
}

func (l *lines) add(p []byte) {
	if room := maxLine - len(l.part); room > 0 {
		l.part = append(l.part, p[:min(room, len(p))]...)
	}
}

func (l *lines) flushLine() {
	l.counter.reader.line(strings.TrimSuffix(string(l.part), "\r"))
	l.part = l.part[:0]
}

func (l *lines) flush() {
	if len(l.part) > 0 {
		l.flushLine()
	}
}

// tee hands a stream to people first and to the reader then.
type tee struct {
	out   io.Writer
	lines *lines
}

// Write writes to both.
func (t *tee) Write(p []byte) (int, error) {
	if n, err := t.out.Write(p); err != nil {
		return n, err
	}
	return t.lines.Write(p)
}

// goTest returns the index of "test" in a go test command whose results can be
// told as JSON, or 0.
func goTest(run []string) int {
	if len(run) < 2 || strings.TrimSuffix(filepath.Base(run[0]), ".exe") != "go" {
		return 0
	}
	at := 1
	if run[1] == "-C" {
		at = 3
	}
	if len(run) <= at || run[at] != "test" || hasFlag(run, "c") || hasFlag(run, "h") || hasFlag(run, "help") || hasFlag(run, "n") {
		return 0
	}
	return at
}

// hasFlag reports whether a flag of go test is set; what follows -args is the
// test binary's.
func hasFlag(run []string, name string) bool {
	for _, arg := range run {
		flag := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		switch {
		case flag == arg:
		case flag == "args":
			return false
		case flag == name || flag == name+"=true":
			return true
		}
	}
	return false
}
