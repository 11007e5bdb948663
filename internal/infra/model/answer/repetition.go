package answer

const (
	window     = 32 << 10 // bytes that must be one repetition
	stride     = 16 << 10 // bytes between two looks
	mostPeriod = 4 << 10
	leastParts = 32 // pieces between two looks: a model that loops does so token by token
)

// repetition notices a model that says the same for ever. A long answer that
// came in a few pieces is finished, whatever it says, and is left alone.
type repetition struct {
	tail   []byte
	since  int // bytes since the last look
	pieces int // pieces since the last look
}

// add takes a piece and reports whether the last 32 KiB only repeat.
func (r *repetition) add(piece string) bool {
	r.tail = append(r.tail, piece[max(0, len(piece)-window):]...)
	if over := len(r.tail) - window; over > 0 {
		r.tail = append(r.tail[:0], r.tail[over:]...)
	}
	r.since += len(piece)
	r.pieces++
	if r.since < stride || len(r.tail) < window {
		return false
	}
	many := r.pieces >= leastParts
	r.since, r.pieces = 0, 0
	return many && period(r.tail) <= mostPeriod
}

// period is the length of the shortest text whose repetition b is.
func period(b []byte) int {
	fail := make([]int32, len(b))
	var k int32
	for i := 1; i < len(b); i++ {
		for k > 0 && b[i] != b[k] {
			k = fail[k-1]
		}
		if b[i] == b[k] {
			k++
		}
		fail[i] = k
	}
	return len(b) - int(fail[len(b)-1])
}
