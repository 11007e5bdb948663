package sandbox

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// floodFactor and minFlood say how much a command may write in all before it is
// ended: a build may be chatty, an endless loop must not fill the machine.
const (
	floodFactor = 64
	minFlood    = 256 << 20
)

// keep is a writer that holds the head and the tail of what it was given in a
// bounded space. A third goes to the head, where a compiler says what is
// wrong; the rest to the tail, where a test runner sums up.
type keep struct {
	mu      sync.Mutex
	head    []byte
	tail    []byte // a ring once it is full
	next    int    // where the ring goes on
	headMax int
	tailMax int
	total   int64
	flood   int64
	onFlood func()
}

func newKeep(limit int64, onFlood func()) *keep {
	limit = max(limit, 96)
	return &keep{headMax: int(limit / 3), tailMax: int(limit - limit/3), flood: max(limit*floodFactor, minFlood), onFlood: onFlood}
}

// Write never fails and never blocks, so that a full buffer cannot stall the
// command.
func (k *keep) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(p)
	before := k.total
	k.total += int64(n)
	if before <= k.flood && k.total > k.flood && k.onFlood != nil {
		k.onFlood()
	}
	if room := k.headMax - len(k.head); room > 0 {
		take := min(room, len(p))
		k.head = append(k.head, p[:take]...)
		p = p[take:]
	}
	if len(p) > k.tailMax {
		p = p[len(p)-k.tailMax:]
	}
	if room := k.tailMax - len(k.tail); room > 0 {
		take := min(room, len(p))
		k.tail = append(k.tail, p[:take]...)
		p = p[take:]
	}
	for len(p) > 0 {
		c := copy(k.tail[k.next:], p)
		p = p[c:]
		k.next = (k.next + c) % k.tailMax
	}
	return n, nil
}

// String returns head and tail as valid UTF-8, with a line between them that
// counts what was left out.
func (k *keep) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	tail := append(append([]byte(nil), k.tail[k.next:]...), k.tail[:k.next]...)
	left := k.total - int64(len(k.head)) - int64(len(tail))
	if left <= 0 {
		return strings.ToValidUTF8(string(k.head)+string(tail), "\uFFFD")
	}
	head := k.head
	for i := 0; i < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head[max(0, len(head)-utf8.UTFMax):]); i++ {
		head = head[:len(head)-1]
	}
	return strings.ToValidUTF8(fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", head, left, tail), "\uFFFD")
}
