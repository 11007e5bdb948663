package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/writ-dev/writ"
)

// Script holds the turns of each agent. "*" serves those without their own.
type Script struct {
	Agents map[string][]Turn `json:"agents"`
}

// Turn is one answer. Fail ends it with an error of that kind after its text;
// Stall keeps it open until the call is cancelled.
type Turn struct {
	Text      string              `json:"text,omitempty"`
	Reasoning string              `json:"reasoning,omitempty"`
	Calls     []Call              `json:"calls,omitempty"`
	Stop      writ.StopReason     `json:"stop,omitempty"`  // empty: the model finished
	Usage     *Usage              `json:"usage,omitempty"` // nil: estimated
	DelayMS   int                 `json:"delay_ms,omitempty"`
	Fail      writ.ModelErrorKind `json:"fail,omitempty"`
	Stall     bool                `json:"stall,omitempty"`
	Repeat    bool                `json:"repeat,omitempty"` // the last turn: for ever
}

// Call is one tool call.
type Call struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

// Usage is what a turn reports, in tokens; input includes the cached ones.
type Usage struct {
	Input  int64 `json:"input"`
	Cached int64 `json:"cached,omitempty"`
	Output int64 `json:"output"`
}

// Parse reads a script file. Unknown fields are errors.
func Parse(raw []byte) (Script, error) {
	var s Script
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Script{}, fmt.Errorf("read script: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Script{}, errors.New("read script: something follows the object")
	}
	if err := s.validate(); err != nil {
		return Script{}, fmt.Errorf("read script: %w", err)
	}
	return s, nil
}

func (s Script) validate() error {
	for agent, turns := range s.Agents {
		for i, t := range turns {
			if err := t.validate(i == len(turns)-1); err != nil {
				return fmt.Errorf("%s, turn %d: %w", agent, i+1, err)
			}
		}
	}
	return nil
}

func (t Turn) validate(last bool) error {
	switch t.Stop {
	case "", writ.StopEnd, writ.StopTools, writ.StopLength, writ.StopFilter:
	default:
		return fmt.Errorf("unknown stop reason %q", t.Stop)
	}
	switch t.Fail {
	case "", writ.ModelAuth, writ.ModelRate, writ.ModelOverload, writ.ModelContext, writ.ModelInvalid,
		writ.ModelTransport, writ.ModelTruncated, writ.ModelProtocol, writ.ModelTimeout:
	default:
		return fmt.Errorf("unknown failure %q", t.Fail)
	}
	switch {
	case t.DelayMS < 0:
		return errors.New("delay_ms is negative")
	case t.Repeat && !last:
		return errors.New("only the last turn may repeat")
	}
	for _, c := range t.Calls {
		if c.Name == "" {
			return errors.New("a call has no name")
		}
	}
	return nil
}
