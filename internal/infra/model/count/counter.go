package count

import (
	"sync"

	"github.com/writ-dev/writ"
)

const (
	startFactor = 1.15
	// weight is the share of the newest sample in the moving average.
	weight = 0.25
	// A ratio outside these says nothing about a vocabulary: the server cut the
	// prompt, counted only what its cache lacked, or added a prompt of its own.
	leastRatio, mostRatio = 0.5, 2.0
	// smallest is the estimate below which fixed overheads outweigh the text.
	smallest = 200
)

// Counter estimates with a factor for each model, learned from what servers
// report. It is safe for concurrent use.
type Counter struct {
	mu      sync.Mutex
	factors map[string]float64
}

// New returns a counter that has learned nothing yet.
func New() *Counter { return &Counter{factors: map[string]float64{}} }

// Estimate is the number of tokens that a text is for a model.
func (c *Counter) Estimate(model, text string) int64 {
	return c.scale(model, Estimate(text))
}

// EstimateRequest is the number of prompt tokens of a request for its model.
func (c *Counter) EstimateRequest(req *writ.Request) int64 {
	return c.scale(req.Model, EstimateRequest(req))
}

// Observe learns from one answer: the unscaled estimate of its request, as
// [EstimateRequest] gives it, and the prompt tokens that the server reported.
func (c *Counter) Observe(model string, estimated, reported int64) {
	if estimated < smallest || reported <= 0 {
		return
	}
	ratio := float64(reported) / float64(estimated)
	if ratio < leastRatio || ratio > mostRatio {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.factors[model] = (1-weight)*c.factor(model) + weight*ratio
}

// Factor is the present factor of a model.
func (c *Counter) Factor(model string) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.factor(model)
}

// factor needs the lock.
func (c *Counter) factor(model string) float64 {
	if f, ok := c.factors[model]; ok {
		return f
	}
	return startFactor
}

func (c *Counter) scale(model string, n int64) int64 {
	return int64(float64(n)*c.Factor(model) + 0.5)
}
