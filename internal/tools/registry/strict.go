package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/writ-dev/writ"
)

// The bounds of one call's arguments.
const (
	MaxArgsBytes = 4 << 20
	MaxDepth     = 64
)

// decodeArgs reads the arguments of a call: one JSON object. Numbers stay as
// they were written. It refuses what [encoding/json] lets pass and what would
// then mean something else than was sent: a key that stands twice, bytes that
// are not UTF-8, and half of a surrogate pair.
func decodeArgs(raw []byte) (map[string]any, *writ.Error) {
	if len(raw) > MaxArgsBytes {
		return nil, &writ.Error{
			Code: writ.CodeTooLarge,
			Msg:  fmt.Sprintf("the arguments have %d bytes, the limit is %d", len(raw), MaxArgsBytes),
		}
	}
	if text := bytes.TrimSpace(raw); len(text) == 0 || string(text) == "null" {
		return map[string]any{}, nil
	}
	value, err := decodeStrict(raw)
	if err != nil {
		return nil, invalid("the arguments are refused: %s", err.Error())
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, invalid("the arguments must be one JSON object, got %s", kindOf(value))
	}
	return object, nil
}

func decodeStrict(raw []byte) (any, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("not valid UTF-8")
	}
	if !json.Valid(raw) {
		var discard any
		return nil, fmt.Errorf("not valid JSON: %w", json.Unmarshal(raw, &discard))
	}
	if loneSurrogate(raw) {
		return nil, errors.New("half of a surrogate pair, which is no character")
	}
	d := &strictDecoder{tokens: json.NewDecoder(bytes.NewReader(raw))}
	d.tokens.UseNumber()
	return d.value("", 0)
}

// strictDecoder builds a value from tokens. The input is known to be valid
// JSON, so a token error cannot happen and is passed on only for form.
type strictDecoder struct {
	tokens *json.Decoder
}

func (d *strictDecoder) value(path string, depth int) (any, error) {
	if depth > MaxDepth {
		return nil, fmt.Errorf("%s: nested deeper than %d levels", at(path), MaxDepth)
	}
	token, err := d.tokens.Token()
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	switch token {
	case json.Delim('{'):
		return d.object(path, depth)
	case json.Delim('['):
		return d.array(path, depth)
	default:
		return token, nil
	}
}

func (d *strictDecoder) object(path string, depth int) (any, error) {
	object := make(map[string]any)
	for d.tokens.More() {
		token, err := d.tokens.Token()
		if err != nil {
			return nil, fmt.Errorf("read JSON: %w", err)
		}
		key, _ := token.(string)
		field := join(path, key)
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("%s: the key stands twice", field)
		}
		if object[key], err = d.value(field, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.tokens.Token()
	return object, err
}

func (d *strictDecoder) array(path string, depth int) (any, error) {
	array := []any{}
	for d.tokens.More() {
		item, err := d.value(path+"["+strconv.Itoa(len(array))+"]", depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, item)
	}
	_, err := d.tokens.Token()
	return array, err
}

// loneSurrogate finds a \u escape that is half of a pair without the other
// half; the decoder would put U+FFFD in its place, and so into a file.
func loneSurrogate(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		first, ok := escapedRune(raw[i:])
		if !ok {
			i++ // skips the escaped character, so that \\u is no escape
			continue
		}
		i += 5
		if !utf16.IsSurrogate(first) {
			continue
		}
		second, ok := escapedRune(raw[i+1:])
		if !ok || utf16.DecodeRune(first, second) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

func escapedRune(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw[2:6]), 16, 32)
	return rune(n), err == nil
}

func join(path, key string) string {
	if path == "" {
		return quoteKey(key)
	}
	return path + "." + quoteKey(key)
}

func at(path string) string {
	if path == "" {
		return "the arguments"
	}
	return path
}

// quoteKey shows a key as it is where that is harmless.
func quoteKey(key string) string {
	if key != "" && !strings.ContainsFunc(key, func(c rune) bool { return !strconv.IsPrint(c) || c == '"' }) && len(key) <= maxNameLen {
		return key
	}
	return quote(key)
}

// quote makes foreign text safe for a message: escaped, and cut when long.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		return strconv.Quote(text[:cut]) + "…"
	}
	return strconv.Quote(text)
}

func invalid(format string, args ...any) *writ.Error {
	return &writ.Error{Code: writ.CodeSchemaInvalid, Msg: fmt.Sprintf(format, args...)}
}
