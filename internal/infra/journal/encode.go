package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/writ-dev/writ"
)

// encode turns a value into redacted JSON in UTF-8. A value that cannot be
// encoded, also one that panics on the way, is an error.
func (t *Task) encode(data any) (out json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("encoding it panicked: %v", p)
		}
	}()
	if data == nil {
		return json.RawMessage("{}"), nil
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	// Raw messages pass through the encoder unseen.
	raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	raw = t.j.redact(raw)
	if !json.Valid(raw) {
		return nil, errors.New("redaction left no valid JSON")
	}
	return raw, nil
}

// encodeFailure is the data of the error event that stands in for one that
// could not be encoded. The error text may repeat the value, so only its kind
// is told.
func encodeFailure(typ writ.EventType, err error) json.RawMessage {
	data, _ := json.Marshal(map[string]string{ // strings always encode
		"code":    string(writ.CodeInternal),
		"phase":   "",
		"message": fmt.Sprintf("the event %s could not be recorded (%T)", typ, err),
	})
	return data
}

// redactText redacts a plain text by way of its JSON form, the only one that
// the redaction promises to keep whole.
func (t *Task) redactText(s string) string {
	if s == "" {
		return s
	}
	raw, err := t.encode(s)
	if err != nil {
		return "[redacted]"
	}
	var out string
	if json.Unmarshal(raw, &out) != nil {
		return "[redacted]"
	}
	return out
}
