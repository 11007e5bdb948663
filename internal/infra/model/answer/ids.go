package answer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/writ-dev/writ"
)

// maxID bounds a server's id that is taken over.
const maxID = 128

// ids gives each call of an answer an id that no other call of the conversation
// has. An id is only ever compared by its server with what stands in the same
// request, so a made-up one that is used for the call and for its result is as
// good as the server's.
type ids struct {
	req  *writ.Request
	used map[string]bool
	seed string
}

func newIDs(req *writ.Request) *ids {
	d := &ids{req: req, used: map[string]bool{}}
	for _, m := range req.Messages {
		for _, c := range m.Calls {
			d.used[c.ID] = true
		}
		if m.CallID != "" {
			d.used[m.CallID] = true
		}
	}
	return d
}

// of is the id of the answer's call number n, whose server called it id.
func (d *ids) of(id string, n int) string {
	if !usable(id) || d.used[id] {
		if d.seed == "" {
			d.seed = conversation(d.req)
		}
		id = fmt.Sprintf("call_%s_%d", d.seed, n)
		for d.used[id] {
			id += "x"
		}
	}
	d.used[id] = true
	return id
}

func usable(id string) bool {
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}

// conversation is a short name of what was said so far: the same for a repeated
// attempt, another one for each turn and each agent of a task.
func conversation(req *writ.Request) string {
	h := sha256.New()
	write := func(s string) {
		_, _ = io.WriteString(h, s) // a hash never fails
		_, _ = h.Write([]byte{0})
	}
	write(req.Task)
	write(req.Agent)
	for _, m := range req.Messages {
		write(string(m.Role))
		write(m.Content)
		write(m.CallID)
		for _, c := range m.Calls {
			write(c.ID)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
