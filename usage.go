package writ

// UsageSource says where token counts come from. It is always set, so a zero
// is never mistaken for a free call.
type UsageSource string

// The usage sources.
const (
	UsageReported  UsageSource = "reported"
	UsageEstimated UsageSource = "estimated"
	UsageNone      UsageSource = "none"
)

// ModelUsage is what one model call used, in tokens. Input includes the cached
// ones; CacheWrite is the part of Input that was written to a cache, and
// Reasoning the part of Output that was thought.
type ModelUsage struct {
	Input      int64       `json:"input_tokens"`
	CacheRead  int64       `json:"cached_input_tokens"`
	CacheWrite int64       `json:"cache_write_tokens,omitempty"`
	Output     int64       `json:"output_tokens"`
	Reasoning  int64       `json:"reasoning_tokens,omitempty"`
	Source     UsageSource `json:"source"`
}

// Total is input plus output, the number that token budgets count.
func (u ModelUsage) Total() int64 { return u.Input + u.Output }

// Usage is the sum over a task's model calls. CostUSD is nil where the price
// of any model that was used is unknown.
type Usage struct {
	Requests          int      `json:"requests"`
	InputTokens       int64    `json:"input_tokens"`
	CachedInputTokens int64    `json:"cached_input_tokens"`
	OutputTokens      int64    `json:"output_tokens"`
	Estimated         bool     `json:"estimated"`
	CostUSD           *float64 `json:"cost_usd"`
	PriceVersion      string   `json:"price_version,omitempty"`
	// Unpriced is set once a call without a known price was added; from then on
	// CostUSD stays nil.
	Unpriced bool `json:"unpriced,omitempty"`
}

// Total is input plus output tokens.
func (u *Usage) Total() int64 { return u.InputTokens + u.OutputTokens }

// Add counts one attempt at a model call, its retries being attempts of their
// own. cost is nil where the price is unknown.
func (u *Usage) Add(m ModelUsage, cost *float64) {
	u.Requests++
	u.InputTokens += m.Input
	u.CachedInputTokens += m.CacheRead
	u.OutputTokens += m.Output
	if m.Source != UsageReported {
		u.Estimated = true
	}
	switch {
	case cost == nil && m.Total() > 0:
		u.CostUSD, u.Unpriced = nil, true
	case cost != nil && !u.Unpriced:
		sum := *cost
		if u.CostUSD != nil {
			sum += *u.CostUSD
		}
		u.CostUSD = &sum
	}
}
