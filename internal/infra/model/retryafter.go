package model

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestRetry bounds what a server may ask for; beyond it, a number is taken
// for nonsense that would overflow a duration.
const longestRetry = 30 * 24 * time.Hour

// retryAfter reads how long a server asks to be left alone: Retry-After-Ms,
// then Retry-After in seconds, as a duration such as "250ms", or as a date.
// Zero means that it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		return clamp(ms * float64(time.Millisecond))
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0
	}
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return clamp(s * float64(time.Second))
	}
	if d, err := time.ParseDuration(v); err == nil {
		return clamp(float64(d))
	}
	if at, err := http.ParseTime(v); err == nil {
		return clamp(float64(at.Sub(now)))
	}
	return 0
}

func clamp(d float64) time.Duration {
	if math.IsNaN(d) || d <= 0 {
		return 0
	}
	return time.Duration(min(d, float64(longestRetry)))
}
