package model

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, seconds, ms string
		want              time.Duration
	}{
		{"nothing", "", "", 0},
		{"seconds", "3", "", 3 * time.Second},
		{"parts of a second", " 0.5 ", "", 500 * time.Millisecond},
		{"a duration", "250ms", "", 250 * time.Millisecond},
		{"milliseconds", "", "120", 120 * time.Millisecond},
		{"milliseconds are finer", "1", "120", 120 * time.Millisecond},
		{"a date", now.Add(time.Minute).Format(http.TimeFormat), "", time.Minute},
		{"a date gone by", now.Add(-time.Minute).Format(http.TimeFormat), "", 0},
		{"negative", "-5", "", 0},
		{"not a number", "NaN", "", 0},
		{"without end", "+Inf", "", longestRetry},
		{"far too long", "1e300", "", longestRetry},
		{"words", "later", "soon", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			h.Set("Retry-After", tt.seconds)
			h.Set("Retry-After-Ms", tt.ms)
			if got := retryAfter(h, now); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"3", "250ms", "Mon, 30 Nov 2026 12:00:00 GMT", "-1", "1e999", "0x1p9"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, v string) {
		for _, name := range []string{"Retry-After", "Retry-After-Ms"} {
			if d := retryAfter(http.Header{name: {v}}, time.Unix(0, 0)); d < 0 || d > longestRetry {
				t.Fatalf("%s: %q gives %s", name, v, d)
			}
		}
	})
}
