package loop

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/writ-dev/writ"
)

// fence matches fenced blocks; there must be one alone to be taken.
var fence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?s)```[a-zA-Z]*[ \t]*\r?\n(.*?)```") })

// JSONInText returns the JSON object that a text consists of, or that stands in
// its only fenced block; nil where there is none.
func JSONInText(text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if obj := object(text); obj != nil {
		return obj
	}
	blocks := fence().FindAllStringSubmatch(text, -1)
	if len(blocks) != 1 {
		return nil
	}
	return object(strings.TrimSpace(blocks[0][1]))
}

func object(text string) json.RawMessage {
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// textCall is a tool call that a small model wrote as text.
type textCall struct {
	Name       string          `json:"name"`
	Tool       string          `json:"tool"`
	Arguments  json.RawMessage `json:"arguments"`
	Parameters json.RawMessage `json:"parameters"`
	Args       json.RawMessage `json:"args"`
}

// fromText reads an answer without calls: a tool call in the text, or the
// agent's result.
func (c *conversation) fromText(text string) ([]writ.ToolCall, json.RawMessage) {
	obj := JSONInText(text)
	if obj == nil {
		return nil, nil
	}
	if name, args := asCall(obj); name != "" {
		switch {
		case name == c.spec.Submit && c.spec.Submit != "":
			return nil, args
		case slices.Contains(c.spec.Tools, name):
			return []writ.ToolCall{{Name: name, Args: args}}, nil
		}
	}
	if c.spec.Submit != "" {
		return nil, obj
	}
	return nil, nil
}

// asCall reads {"name": …, "arguments": {…}} and nothing looser.
func asCall(obj json.RawMessage) (string, json.RawMessage) {
	var t textCall
	dec := json.NewDecoder(strings.NewReader(string(obj)))
	dec.DisallowUnknownFields()
	if dec.Decode(&t) != nil {
		return "", nil
	}
	name := t.Name
	if name == "" {
		name = t.Tool
	}
	for _, args := range []json.RawMessage{t.Arguments, t.Parameters, t.Args} {
		if args == nil {
			continue
		}
		var quoted string
		if json.Unmarshal(args, &quoted) == nil {
			args = json.RawMessage(quoted)
		}
		if obj := object(strings.TrimSpace(string(args))); obj != nil {
			return name, obj
		}
	}
	return "", nil
}
