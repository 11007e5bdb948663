package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a time span as configuration writes it: Go's form, or whole days
// such as 90d.
type Duration time.Duration

// Std returns the span as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String writes the span the way people do: 7m, 90d, 1m30s.
func (d Duration) String() string {
	std := time.Duration(d)
	const day = 24 * time.Hour
	if std != 0 && std%day == 0 {
		return strconv.FormatInt(int64(std/day), 10) + "d"
	}
	s := std.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MarshalText writes the span as String does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// ParseDuration reads a span. It refuses negative ones, and a bare number,
// whose unit nobody can know.
func ParseDuration(s string) (Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return 0, fmt.Errorf("%q is no duration such as 90s, 5m or 90d", s)
		}
		return Duration(time.Duration(n) * 24 * time.Hour), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || (d == 0 && s == "0") {
		return 0, fmt.Errorf("%q is no duration such as 90s, 5m or 90d", s)
	}
	if d < 0 {
		return 0, fmt.Errorf("%q is negative", s)
	}
	return Duration(d), nil
}

// Size is a number of bytes.
type Size int64

// String writes the size with the largest binary unit that divides it.
func (s Size) String() string {
	for _, u := range units() {
		if u.binary && s != 0 && int64(s)%u.bytes == 0 {
			return strconv.FormatInt(int64(s)/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// MarshalText writes the size as String does.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseSize reads a size: bytes, or a whole number with a unit, KiB and its
// like counting 1024s and KB and its like 1000s.
func ParseSize(s string) (Size, error) {
	number, factor := s, int64(1)
	for _, u := range units() {
		if n, ok := strings.CutSuffix(s, u.name); ok {
			number, factor = n, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return 0, fmt.Errorf("%q is no size such as 512KiB, 1MiB or 2GiB", s)
	}
	return Size(n * factor), nil
}

type unit struct {
	name   string
	bytes  int64
	binary bool
}

// units lists the units so that a longer name stands before its own suffix.
func units() []unit {
	return []unit{
		{"TiB", 1 << 40, true}, {"GiB", 1 << 30, true}, {"MiB", 1 << 20, true}, {"KiB", 1 << 10, true},
		{"TB", 1e12, false}, {"GB", 1e9, false}, {"MB", 1e6, false}, {"KB", 1e3, false}, {"B", 1, false},
	}
}
