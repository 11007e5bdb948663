package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
	"github.com/google/go-cmp/cmp"
)

func TestNormalise(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                         string
		in, out, inCached, outCached float64
		want                         string // input output read write
	}{
		{"write and read", 3, 15, 3.75, 0.3, "3 15 0.3 3.75"},
		{"read and nothing", 0.14, 0.28, 0.0028, 0, "0.14 0.28 0.0028 0.14"},
		{"nothing and read", 2.5, 10, 0, 1.25, "2.5 10 1.25 2.5"},
		{"read twice", 1.25, 10, 0.25, 0.125, "1.25 10 0.25 1.25"},
		{"read, and the output price again", 0.75, 3.75, 0.075, 3.75, "0.75 3.75 0.075 0.75"},
		{"too dear to be a cache read", 1.5, 9, 0, 1, "1.5 9 1.5 1.5"},
		{"nothing", 2, 8, 0, 0, "2 8 2 2"},
		{"no price", 0, 0, 0, 0, "- - - -"},
		{"no price, but cached ones", 0, 0, 1, 1, "- - - -"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := normalise(catwalk.Model{ID: "m", CostPer1MIn: tt.in, CostPer1MOut: tt.out, CostPer1MInCached: tt.inCached, CostPer1MOutCached: tt.outCached, ContextWindow: 7})
			want := "m\t" + strings.ReplaceAll(tt.want, " ", "\t") + "\t7\n"
			if diff := cmp.Diff(want, r.line()); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMakersComeBeforeResellers(t *testing.T) {
	t.Parallel()
	model := func(id string, in float64) catwalk.Model {
		return catwalk.Model{ID: id, CostPer1MIn: in, CostPer1MOut: in}
	}
	got := Table("v0", []catwalk.Provider{
		{ID: "a-reseller", Models: []catwalk.Model{model("claude-x-4", 9), model("claude-x-4-20250101", 9), model("claude-y", 9)}},
		{ID: catwalk.InferenceProviderAnthropic, Models: []catwalk.Model{model("claude-x-4-20250101", 1), model("claude-y", 0)}},
	})
	want := []string{"claude-x-4\t1\t1\t1\t1\t0", "claude-x-4-20250101\t1\t1\t1\t1\t0", "claude-y\t9\t9\t9\t9\t0"}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(got), "\n")[2:]); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// The committed table is what the generator makes of the catalogue in go.mod.
func TestTableIsCurrent(t *testing.T) {
	t.Parallel()
	committed, err := os.ReadFile("../catalogue.tsv")
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(committed), "\n")
	_, want, _ := strings.Cut(Table("v0", embedded.GetAll()), "\n")
	if rest != want {
		t.Error("catalogue.tsv is out of date: run go generate in internal/infra/model/price")
	}
	mod, err := os.ReadFile("../../../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(string(mod), "charm.land/catwalk ")
	version, _, _ = strings.Cut(version, "\n")
	version, _, _ = strings.Cut(version, " ")
	if !strings.Contains(first, "catwalk "+version+", overlay "+strconv.Itoa(overlay)+";") {
		t.Errorf("catalogue.tsv begins with %q, and go.mod has version %q", first, version)
	}
}

func TestColumnsAreNumbers(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(Table("v0", embedded.GetAll())) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cols := strings.Split(strings.TrimSpace(line), "\t")
		if len(cols) != 6 {
			t.Fatalf("%q has %d columns", line, len(cols))
		}
		for _, c := range cols[1:] {
			if f, err := strconv.ParseFloat(c, 64); c != "-" && (err != nil || f < 0) {
				t.Fatalf("%q has %q for a number", line, c)
			}
		}
	}
}
