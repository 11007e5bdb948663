package count

import (
	"encoding/json"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/writ-dev/writ"
)

// Estimates are for limits and labels; a third off would make them useless.
func TestEstimateIsNear(t *testing.T) {
	t.Parallel()
	for _, tt := range samples() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Estimate(tt.text)
			if off := math.Abs(float64(got-tt.want)) / float64(tt.want); off > 0.30 {
				t.Errorf("estimate %d, the vocabulary has %d: off by %.0f %%", got, tt.want, off*100)
			}
		})
	}
}

func TestEstimateRequest(t *testing.T) {
	t.Parallel()
	base := writ.Request{Messages: []writ.Message{{Role: writ.RoleUser, Content: "Correct the sum."}}}
	n := EstimateRequest(&base)
	for name, more := range map[string]func(*writ.Request){
		"message": func(r *writ.Request) { r.Messages = append(r.Messages, writ.Message{}) },
		"content": func(r *writ.Request) { r.Messages[0].Content += " And test it." },
		"call": func(r *writ.Request) {
			r.Messages[0].Calls = []writ.ToolCall{{Name: "f", Args: json.RawMessage(`{"a":1}`)}}
		},
		"tool":   func(r *writ.Request) { r.Tools = []writ.ModelTool{{Name: "read_file"}} },
		"schema": func(r *writ.Request) { r.Tools = []writ.ModelTool{{Schema: json.RawMessage(`{"type":"object"}`)}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := base
			req.Messages = append([]writ.Message(nil), base.Messages...)
			more(&req)
			if got := EstimateRequest(&req); got <= n {
				t.Errorf("estimate %d with more, %d without", got, n)
			}
		})
	}
}

func TestCounterLearns(t *testing.T) {
	t.Parallel()
	c := New()
	if got := c.Factor("m"); got != 1.15 {
		t.Errorf("a new model's factor is %v", got)
	}
	for range 40 {
		c.Observe("m", 1000, 1400)
	}
	if got := c.Factor("m"); math.Abs(got-1.4) > 0.01 {
		t.Errorf("factor %v, want 1.4", got)
	}
	if got := c.Factor("other"); got != 1.15 {
		t.Errorf("another model's factor is %v", got)
	}
	text := strings.Repeat("word ", 100)
	if got, want := c.Estimate("m", text), int64(math.Round(float64(Estimate(text))*c.Factor("m"))); got != want {
		t.Errorf("scaled estimate %d, want %d", got, want)
	}
}

func TestCounterIgnoresWhatTellsNothing(t *testing.T) {
	t.Parallel()
	for name, sample := range map[string][2]int64{
		"a cut prompt":           {20_000, 2048},
		"a cache's rest":         {20_000, 5},
		"an absurd report":       {2500, 59_000},
		"nothing":                {2500, 0},
		"negative":               {2500, -1},
		"too small to be judged": {10, 15},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := New()
			c.Observe("m", sample[0], sample[1])
			if got := c.Factor("m"); got != 1.15 {
				t.Errorf("factor %v after it, want no change", got)
			}
		})
	}
}

func TestCounterIsForConcurrentUse(t *testing.T) {
	t.Parallel()
	c := New()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				c.Observe("m", 1000, 1000)
				c.Estimate("m", "word")
			}
		})
	}
	wg.Wait()
	if got := c.Factor("m"); math.Abs(got-1) > 0.01 {
		t.Errorf("factor %v, want 1", got)
	}
}

func FuzzEstimate(f *testing.F) {
	for _, seed := range []string{"", "word", "camelCaseName", "日本語", "\xff\xfe", "1234567", "    \n\t", "({[;]})", "🙂"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := Estimate(text)
		if n < 0 || n > int64(2*len(text))+1 || text != "" && strings.TrimSpace(text) != "" && n == 0 {
			t.Fatalf("%q is %d tokens", text, n)
		}
	})
}

func BenchmarkEstimate(b *testing.B) {
	text := strings.Repeat(samples()[0].text, 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Estimate(text)
	}
}
