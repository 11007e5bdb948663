package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/writ-dev/writ"
)

// The bounds of a result. MaxText is for one text part; a result whose own
// bound is higher says so through [Texter].
const (
	MaxText   = 16 << 10
	MaxResult = 256 << 10
	maxError  = 8 << 10
)

// Texter is implemented by a result that bounds its texts itself, such as that
// of read_file.
type Texter interface {
	// MaxText returns how many bytes one text part of the result may have.
	MaxText() int
}

// encoded is a marshalled result with the bound of its text parts.
type encoded struct {
	raw     []byte
	maxText int
}

func encode(data any) (encoded, error) {
	raw, err := marshal(data)
	if err != nil {
		return encoded{}, fmt.Errorf("encode result: %w", err)
	}
	e := encoded{raw: raw, maxText: MaxText}
	if t, ok := data.(Texter); ok {
		e.maxText = t.MaxText()
	}
	return e, nil
}

// success merges the fields of a result into an object beside "ok". What is
// no object, or has an "ok" of its own, stands under "result".
func success(data any) ([]byte, error) {
	e, ok := data.(encoded)
	if !ok {
		return nil, fmt.Errorf("a result of type %T was not encoded", data)
	}
	raw, err := bounded(e)
	if err != nil {
		return nil, err
	}
	switch {
	case string(raw) == "null", string(raw) == "{}":
		return []byte(`{"ok":true}`), nil
	case raw[0] != '{' || hasOK(raw):
		raw = append([]byte(`{"ok":true,"result":`), raw...)
		return append(raw, '}'), nil
	default:
		return append([]byte(`{"ok":true,`), raw[1:]...), nil
	}
}

// failure is the result of a refused or failed call: what happened, and what
// to do instead.
func failure(e *writ.Error) []byte {
	message := e.Error()
	if advice := e.Advice(); advice != "" && !strings.Contains(message, advice) {
		message += ": " + advice
	}
	raw, err := marshal(writ.ToolResult{Error: &writ.ToolError{Code: e.Code, Message: cut(message, maxError)}})
	if err != nil {
		// Two strings always encode; this keeps the promise even so.
		return []byte(`{"ok":false,"error":{"code":"INTERNAL","message":""}}`)
	}
	return raw
}

// bounded cuts text parts that are too long. Only then is the result decoded
// and its keys sorted; else it keeps its order.
func bounded(e encoded) ([]byte, error) {
	if len(e.raw) <= e.maxText {
		return e.raw, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(e.raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("decode result: %w", err)
	}
	raw := e.raw
	if shortened, changed := shorten(value, e.maxText); changed {
		var err error
		if raw, err = marshal(shortened); err != nil {
			return nil, fmt.Errorf("encode result: %w", err)
		}
	}
	if len(raw) > MaxResult {
		return nil, &writ.Error{
			Code: writ.CodeTooLarge,
			Msg:  fmt.Sprintf("the answer has %d bytes, the limit is %d", len(raw), MaxResult),
			Hint: "ask for less at a time",
		}
	}
	return raw, nil
}

func shorten(value any, most int) (any, bool) {
	changed := false
	switch v := value.(type) {
	case string:
		short := cut(v, most)
		return short, short != v
	case []any:
		for i := range v {
			item, c := shorten(v[i], most)
			v[i], changed = item, changed || c
		}
	case map[string]any:
		for key := range v {
			item, c := shorten(v[key], most)
			v[key], changed = item, changed || c
		}
	default:
	}
	return value, changed
}

// cut shortens a text at a character's boundary and says so at its end.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s\n[truncated: %d of %d bytes]", text[:end], end, len(text))
}

func hasOK(raw []byte) bool {
	var object struct {
		OK *json.RawMessage `json:"ok"`
	}
	return json.Unmarshal(raw, &object) == nil && object.OK != nil
}

// marshal leaves <, > and & alone: results are code, and are never put into
// HTML without being escaped there.
func marshal(data any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		var told *writ.Error
		if errors.As(err, &told) {
			return nil, told
		}
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
