package loop

import "slices"

// periods are the lengths of cycles that are looked for: the same round again
// and again, A-B-A-B, A-B-C-A-B-C.
const (
	maxPeriod = 3
	repeats   = 3 // how often a cycle must stand in a row
)

// detector finds a run that goes in circles: rounds whose calls and results
// were the same before. Results count, so a test run that is repeated after
// each edit is no circle.
type detector struct {
	seen []string
	told bool
}

// repeats notes a round and reports whether the last rounds are one cycle, at
// least three times over.
func (d *detector) repeats(signature string) bool {
	d.seen = append(d.seen, signature)
	for period := 1; period <= maxPeriod; period++ {
		need := period * repeats
		if len(d.seen) < need {
			return false
		}
		last := d.seen[len(d.seen)-need:]
		cycle := last[:period]
		same := true
		for i := period; i < need; i += period {
			same = same && slices.Equal(cycle, last[i:i+period])
		}
		if same {
			return true
		}
	}
	return false
}
