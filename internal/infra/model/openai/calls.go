package openai

import (
	"encoding/json"

	"github.com/writ-dev/writ/internal/infra/model/answer"
)

// assembler decides which call a fragment belongs to. By the protocol the index
// says so; where servers leave it out, or give every call the same, the id, the
// name and whether the arguments are complete do.
type assembler struct {
	b       *answer.Builder
	byIndex map[int]*answer.Call
	last    *answer.Call
}

func newAssembler(b *answer.Builder) *assembler {
	return &assembler{b: b, byIndex: map[int]*answer.Call{}}
}

// add takes one fragment.
func (a *assembler) add(f fragment) error {
	name, id := string(f.Function.Name), string(f.ID)
	c := a.find(f.Index, id, name)
	if c == nil {
		var err error
		if c, err = a.b.Open(id, name); err != nil {
			return err
		}
		if f.Index.set {
			a.byIndex[f.Index.n] = c
		}
	} else {
		extend(c, id, name)
	}
	a.last = c
	if len(f.Extra) > 0 && string(f.Extra) != "null" {
		c.Extra = f.Extra
	}
	return a.b.Append(c, f.Function.args())
}

// extend adds a later head to a call: an id or a name that was missing, or the
// rest of a name.
func extend(c *answer.Call, id, name string) {
	if c.ID == "" {
		c.ID = id
	}
	if name != c.Name && c.Args() == "" {
		c.Name += name
	} else if c.Name == "" {
		c.Name = name
	}
}

// find returns the call that a fragment continues, or nil for a new one.
func (a *assembler) find(index number, id, name string) *answer.Call {
	if index.set {
		c := a.byIndex[index.n]
		if c == nil || id != "" && c.ID != "" && id != c.ID || another(c, name) {
			return nil
		}
		return c
	}
	if id != "" {
		calls := a.b.Calls()
		for i := len(calls) - 1; i >= 0; i-- {
			if calls[i].ID == id {
				if another(calls[i], name) {
					return nil
				}
				return calls[i]
			}
		}
		return nil
	}
	if c := a.last; c != nil && !another(c, name) && (name == "" || c.Name == "" || name == c.Name) {
		return c
	}
	return nil
}

// another reports whether a head with this name begins another call although
// it looks like a piece of c: c has a name and whole arguments already.
func another(c *answer.Call, name string) bool {
	return name != "" && c.Name != "" && c.Args() != "" && json.Valid([]byte(c.Args()))
}
