package edit

import (
	"math/bits"
	"strings"
)

// signature stands for the pairs of neighbouring characters in a line, white
// space left out, as bits of a small set. Two lines with many pairs in common
// have many bits in common; that is near enough to find look-alikes, which are
// only shown to a model and never written to.
type signature struct {
	set  [4]uint64
	size int // bits set
}

func sign(line string) signature {
	var s signature
	line = strings.Join(strings.Fields(line), "")
	if len(line) == 1 {
		line += line
	}
	for i := 0; i+1 < len(line) && i < 1000; i++ {
		// Multiplying by a large odd number and taking the top bits spreads
		// the pairs over the set (Fibonacci hashing).
		pair := uint64(line[i])<<8 | uint64(line[i+1])
		bit := pair * 0x9e3779b97f4a7c15 >> 56
		s.set[bit/64] |= 1 << (bit % 64)
	}
	for _, word := range s.set {
		s.size += bits.OnesCount64(word)
	}
	return s
}

// likeness is between 0 (nothing in common) and 1 (Dice's coefficient).
func (s signature) likeness(o signature) float64 {
	if s.size+o.size == 0 {
		return 1
	}
	common := 0
	for i, word := range s.set {
		common += bits.OnesCount64(word & o.set[i])
	}
	return 2 * float64(common) / float64(s.size+o.size)
}
