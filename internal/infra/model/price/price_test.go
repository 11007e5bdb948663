package price

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		model string
		want  Price
		known bool
	}{
		{"gpt-4o", Price{2.5, 10, 1.25, 2.5}, true},
		{"claude-sonnet-4-5-20250929", Price{3, 15, 0.3, 3.75}, true},
		{"claude-sonnet-4-5", Price{3, 15, 0.3, 3.75}, true},
		{"deepseek-v4-pro", Price{0.435, 0.87, 0.003625, 0.435}, true},
		{"work/gpt-4o", Price{2.5, 10, 1.25, 2.5}, true},
		{"ai21/jamba-large-1.7", Price{2, 8, 2, 2}, true},
		{"scripted", Price{}, false},
		{"", Price{}, false},
		{"#", Price{}, false},
		{"gpt-4", Price{}, false},
		{"gpt-4o\t2.5", Price{}, false},
		{"~", Price{}, false},
	} {
		t.Run(tt.model, func(t *testing.T) {
			t.Parallel()
			got, known := Of(tt.model)
			if diff := cmp.Diff(tt.want, got); diff != "" || known != tt.known {
				t.Errorf("known %t, price (-want +got):\n%s", known, diff)
			}
		})
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	usd := func(f float64) *float64 { return &f }
	for _, tt := range []struct {
		name, model string
		usage       writ.ModelUsage
		want        *float64
	}{
		{"cached tokens cost less", "gpt-4o", writ.ModelUsage{Input: 1000, CacheRead: 800, Output: 50}, usd((200*2.5 + 800*1.25 + 50*10) / 1e6)},
		{"written ones more", "claude-sonnet-4-5", writ.ModelUsage{Input: 1000, CacheRead: 500, CacheWrite: 300, Output: 10}, usd((200*3 + 500*0.3 + 300*3.75 + 10*15) / 1e6)},
		{"more cached than there were", "gpt-4o", writ.ModelUsage{Input: 10, CacheRead: 20}, usd(20 * 1.25 / 1e6)},
		{"nothing used", "gpt-4o", writ.ModelUsage{}, usd(0)},
		{"nothing used of an unknown model", "scripted", writ.ModelUsage{}, usd(0)},
		{"unknown", "scripted", writ.ModelUsage{Input: 1000}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Cost(tt.model, tt.usage)
			if (got == nil) != (tt.want == nil) || got != nil && math.Abs(*got-*tt.want) > 1e-12 {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int64{"gpt-4o": 128_000, "work/gpt-4o": 128_000, "claude-opus-5": 1_000_000, "scripted": 0, "": 0} {
		if got := Window(model); got != want {
			t.Errorf("window of %q is %d, want %d", model, got, want)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if v := Version(); !strings.HasPrefix(v, "catwalk v") || !strings.Contains(v, "overlay ") {
		t.Errorf("version %q does not name the catalogue and the overlay", v)
	}
}

// Every line can be found by its own id, also the first and the last.
func TestEveryModelIsFound(t *testing.T) {
	t.Parallel()
	n := 0
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		line = strings.TrimSuffix(line, "\n")
		if got := lookup(key(line)); got != line {
			t.Fatalf("looked for %q, found %q", line, got)
		}
	}
	if n < 500 {
		t.Errorf("the table has %d models", n)
	}
}

func TestLookupsCostLittle(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Window("gpt-4o") }); n > 4 {
		t.Errorf("a look-up makes %v allocations: is the table parsed?", n)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("gpt-4o")
	f.Add("a/b/c")
	f.Add("\n")
	f.Fuzz(func(t *testing.T, model string) {
		p, ok := Of(model)
		if !ok && p != (Price{}) || p.Input < 0 || p.CacheRead > p.Input && p.Input > 0 && p.CacheRead > p.CacheWrite {
			t.Fatalf("%q costs %+v", model, p)
		}
	})
}
