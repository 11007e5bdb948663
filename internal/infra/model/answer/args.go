package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds the nesting of arguments.
const maxDepth = 100

// Arguments judges a call's arguments as they came. It returns them unchanged
// but for surrounding blanks, or says why they cannot be used. No text at all
// is an empty object: that is how several servers send a call without
// parameters.
func Arguments(raw string) (args json.RawMessage, why string) {
	text := strings.TrimSpace(raw)
	if text == "" {
		return json.RawMessage("{}"), ""
	}
	switch {
	case !utf8.ValidString(text):
		return nil, "the arguments are not valid UTF-8"
	case text[0] != '{':
		return nil, "the arguments are not a JSON object"
	}
	if err := object(text); err != nil {
		return nil, "the arguments " + err.Error()
	}
	if loneSurrogate(text) {
		return nil, `the arguments hold half of a character (a lone \u surrogate)`
	}
	return json.RawMessage(text), ""
}

// level is one open object or array.
type level struct {
	keys map[string]bool // nil for an array
	key  bool            // an object waits for a key
}

// object walks one JSON object and refuses a key twice, at any depth.
func object(text string) error {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var open []level
	for {
		tok, err := dec.Token()
		if err != nil {
			return malformed(err)
		}
		if top := len(open) - 1; top >= 0 && open[top].key {
			if key, ok := tok.(string); ok {
				if open[top].keys[key] {
					return fmt.Errorf("hold the key %q twice", cut(key, 64))
				}
				open[top].keys[key] = true
				open[top].key = false
				continue
			}
		}
		switch tok {
		case json.Delim('{'):
			open = append(open, level{keys: map[string]bool{}, key: true})
			if len(open) > maxDepth {
				return fmt.Errorf("are nested over %d levels deep", maxDepth)
			}
			continue
		case json.Delim('['):
			open = append(open, level{})
			if len(open) > maxDepth {
				return fmt.Errorf("are nested over %d levels deep", maxDepth)
			}
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			break
		}
		if top := len(open) - 1; open[top].keys != nil {
			open[top].key = true // a value ended: the next is a key, or the end
		}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("go on after the end of their JSON object")
	}
	return nil
}

func malformed(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("are malformed JSON: they end too early")
	}
	return fmt.Errorf("are malformed JSON: %w", err)
}

// loneSurrogate finds a \u escape of half a character. A decoder would put
// U+FFFD there without a word.
func loneSurrogate(text string) bool {
	b := []byte(text)
	for i := bytes.IndexByte(b, '\\'); i >= 0 && i+1 < len(b); {
		step := 2
		if r, ok := escaped(b[i:]); ok {
			step = 6
			low, paired := escaped(b[i+6:])
			switch {
			case r >= 0xdc00 && r <= 0xdfff:
				return true
			case r >= 0xd800 && r <= 0xdbff:
				if !paired || low < 0xdc00 || low > 0xdfff {
					return true
				}
				step = 12
			}
		}
		next := bytes.IndexByte(b[i+step:], '\\')
		if next < 0 {
			return false
		}
		i += step + next
	}
	return false
}

// escaped reads a \uXXXX at the begin of b.
func escaped(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		r <<= 4
		switch {
		case c >= '0' && c <= '9':
			r |= rune(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r |= rune(c|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	return r, true
}
