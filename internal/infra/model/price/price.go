package price

import (
	_ "embed" // the table
	"sort"
	"strconv"
	"strings"

	"github.com/writ-dev/writ"
)

// table has a line for each model, sorted by its id: id, then input, output,
// cache read and cache write in USD for a million tokens, then the window in
// tokens, with tabs between. Lines that begin with # come first.
//
//go:embed catalogue.tsv
var table string

// Price is what a model costs, in USD for a million tokens.
type Price struct {
	Input      float64
	Output     float64
	CacheRead  float64
	CacheWrite float64
}

// Of returns the price of a model, named as its own provider names it or with
// the provider before a slash. ok is false where it is not known.
func Of(model string) (p Price, ok bool) {
	f := find(model)
	if len(f) != columns || f[1] == unknown {
		return Price{}, false
	}
	return Price{number(f[1]), number(f[2]), number(f[3]), number(f[4])}, true
}

// Cost is what one attempt cost in USD, or nil where the price is not known.
// Nothing used is nothing paid, whatever the model.
func Cost(model string, u writ.ModelUsage) *float64 {
	p, ok := Of(model)
	switch {
	case u.Input == 0 && u.Output == 0:
		zero := 0.0
		return &zero
	case !ok:
		return nil
	}
	plain := max(u.Input-u.CacheRead-u.CacheWrite, 0)
	usd := (float64(plain)*p.Input + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite + float64(u.Output)*p.Output) / 1e6
	return &usd
}

// Window is how many tokens a model can read, or zero where it is not known.
func Window(model string) int64 {
	f := find(model)
	if len(f) != columns {
		return 0
	}
	n, err := strconv.ParseInt(f[5], 10, 64)
	if err != nil {
		return 0 // the generator's test keeps the column a number
	}
	return n
}

// Version names the table, for the records of what was paid.
func Version() string {
	first, _, _ := strings.Cut(table, "\n")
	_, version, _ := strings.Cut(first, "from ")
	version, _, _ = strings.Cut(version, ";")
	return version
}

const (
	columns = 6
	unknown = "-"
)

// find returns the columns of a model, or nil.
func find(model string) []string {
	for name := model; ; {
		if line := lookup(name); line != "" {
			return strings.Split(line, "\t")
		}
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			return nil
		}
		name = rest
	}
}

// lookup finds the line of an id by halving the table.
func lookup(id string) string {
	rows := table
	for strings.HasPrefix(rows, "#") {
		_, rows, _ = strings.Cut(rows, "\n")
	}
	// The search is over byte positions; each stands for the line it lies in.
	at := func(i int) string {
		begin := strings.LastIndexByte(rows[:i], '\n') + 1
		line, _, _ := strings.Cut(rows[begin:], "\n")
		return line
	}
	i := sort.Search(len(rows), func(i int) bool { return key(at(i)) >= id })
	if i == len(rows) {
		return ""
	}
	if line := at(i); key(line) == id {
		return line
	}
	return ""
}

func key(line string) string {
	id, _, _ := strings.Cut(line, "\t")
	return id
}

func number(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0 // the generator's test keeps the column a number
	}
	return f
}
