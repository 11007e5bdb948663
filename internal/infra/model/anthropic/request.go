package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/writ-dev/writ"
)

const (
	// defaultMaxTokens is sent where the request sets no limit: the API demands
	// one.
	defaultMaxTokens = 8192
	// maxMarks is how many cache marks the API takes in one request.
	maxMarks = 4
)

type messagesRequest struct {
	Model       string    `json:"model"`
	MaxTokens   int       `json:"max_tokens"`
	System      []block   `json:"system,omitempty"`
	Messages    []turn    `json:"messages"`
	Tools       []apiTool `json:"tools,omitempty"`
	Temperature *float64  `json:"temperature,omitempty"`
	Stream      bool      `json:"stream"`
}

type turn struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is one content block. Verbatim is one that is sent back as it came.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Cache     *cacheControl   `json:"cache_control,omitempty"`

	verbatim json.RawMessage
}

// MarshalJSON writes a verbatim block as it came.
func (b block) MarshalJSON() ([]byte, error) {
	if b.verbatim != nil {
		return b.verbatim, nil
	}
	type plain block
	return json.Marshal(plain(b))
}

type cacheControl struct {
	Type string `json:"type"`
}

type apiTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// opaque is what a turn carries for its own provider. No other ever gets it.
type opaque struct {
	Provider string            `json:"provider"`
	Thinking []json.RawMessage `json:"thinking"`
}

func (p *Provider) encode(req *writ.Request) ([]byte, error) {
	out := messagesRequest{Model: req.Model, MaxTokens: req.MaxTokens, Temperature: req.Temperature, Stream: true, Messages: []turn{}}
	if out.MaxTokens <= 0 {
		out.MaxTokens = defaultMaxTokens
	}
	marks := maxMarks
	mark := cacheMarks(req.Messages, &marks)
	for i, m := range req.Messages {
		if m.Role == writ.RoleSystem {
			if m.Content != "" {
				out.System = append(out.System, block{Type: "text", Text: m.Content, Cache: mark[i]})
			}
			continue
		}
		out.add(m.Role, p.blocks(m, mark[i]))
	}
	for _, t := range req.Tools {
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		out.Tools = append(out.Tools, apiTool{Name: t.Name, Description: t.Description, InputSchema: schema})
	}
	return json.Marshal(out)
}

// cacheMarks chooses the last few marked prefixes: a later one covers those
// before it.
func cacheMarks(messages []writ.Message, left *int) map[int]*cacheControl {
	mark := map[int]*cacheControl{}
	for i := len(messages) - 1; i >= 0 && *left > 0; i-- {
		if messages[i].Cache {
			mark[i] = &cacheControl{Type: "ephemeral"}
			*left--
		}
	}
	return mark
}

// add appends a turn, or adds to the last one where the same side speaks on.
func (r *messagesRequest) add(role writ.MessageRole, blocks []block) {
	if len(blocks) == 0 {
		return
	}
	side := "user"
	if role == writ.RoleAssistant {
		side = "assistant"
	}
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == side {
		last := &r.Messages[n-1]
		if role == writ.RoleTool {
			last.Content = insertResults(last.Content, blocks)
			return
		}
		last.Content = append(last.Content, blocks...)
		return
	}
	r.Messages = append(r.Messages, turn{Role: side, Content: blocks})
}

// insertResults puts tool results behind those already there and before any
// text, where the API wants them.
func insertResults(have, results []block) []block {
	n := 0
	for n < len(have) && have[n].Type == "tool_result" {
		n++
	}
	out := make([]block, 0, len(have)+len(results))
	out = append(out, have[:n]...)
	out = append(out, results...)
	return append(out, have[n:]...)
}

// blocks is the content of one message. The API refuses empty text.
func (p *Provider) blocks(m writ.Message, mark *cacheControl) []block {
	var out []block
	switch m.Role {
	case writ.RoleTool:
		out = append(out, block{Type: "tool_result", ToolUseID: apiID(m.CallID), Content: m.Content, IsError: m.IsError})
	case writ.RoleAssistant:
		out = append(out, p.thinking(m.Opaque)...)
		if strings.TrimSpace(m.Content) != "" {
			out = append(out, block{Type: "text", Text: m.Content})
		}
		for _, c := range m.Calls {
			out = append(out, block{Type: "tool_use", ID: apiID(c.ID), Name: c.Name, Input: input(c.Args)})
		}
	case writ.RoleSystem, writ.RoleUser:
		if strings.TrimSpace(m.Content) != "" {
			out = append(out, block{Type: "text", Text: m.Content})
		}
	}
	if n := len(out); n > 0 && out[n-1].verbatim == nil {
		out[n-1].Cache = mark
	}
	return out
}

// thinking returns a turn's own thinking blocks, where this provider made them.
func (p *Provider) thinking(raw json.RawMessage) []block {
	var own opaque
	if len(raw) == 0 || json.Unmarshal(raw, &own) != nil || own.Provider != p.Name() {
		return nil
	}
	var out []block
	for _, b := range own.Thinking {
		out = append(out, block{verbatim: b})
	}
	return out
}

// input is a call's arguments; the API takes objects only.
func input(args json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(args, &object) != nil || object == nil {
		return json.RawMessage("{}")
	}
	return args
}

// apiID is a call's id in the letters that the API takes. A call and its result
// go through it alike, so they still find each other.
func apiID(id string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	}
	if id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(r rune) bool { return !plain(r) }) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "toolu_" + hex.EncodeToString(sum[:12])
}
