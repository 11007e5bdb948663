package openai

import (
	"encoding/json"

	"github.com/writ-dev/writ"
)

type chatRequest struct {
	Model               string        `json:"model"`
	Messages            []chatMessage `json:"messages"`
	Tools               []chatTool    `json:"tools,omitempty"`
	MaxTokens           int           `json:"max_tokens,omitempty"`
	MaxCompletionTokens int           `json:"max_completion_tokens,omitempty"`
	Temperature         *float64      `json:"temperature,omitempty"`
	PromptCacheKey      string        `json:"prompt_cache_key,omitempty"`
	Stream              bool          `json:"stream"`
	StreamOptions       *streamOption `json:"stream_options,omitempty"`
}

type streamOption struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatMessage struct {
	Role             writ.MessageRole `json:"role"`
	Content          *string          `json:"content"`
	ReasoningContent string           `json:"reasoning_content,omitempty"`
	ToolCalls        []chatCall       `json:"tool_calls,omitempty"`
	ToolCallID       string           `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	Function     chatFunction    `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatToolSpec `json:"function"`
}

type chatToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// opaque is what a turn carries for its own provider. No other ever gets it.
type opaque struct {
	Provider  string                     `json:"provider"`
	Reasoning string                     `json:"reasoning_content,omitempty"`
	Extra     map[string]json.RawMessage `json:"extra_content,omitempty"` // by call id
}

// encode builds the request's body and lists the optional settings in it.
func (p *Provider) encode(req *writ.Request) ([]byte, []setting, error) {
	out := chatRequest{Model: req.Model, Stream: true}
	var sent []setting
	allow := func(name setting) bool {
		if !p.settings.allowed(req.Model, name) {
			return false
		}
		sent = append(sent, name)
		return true
	}
	if allow(streamOptions) {
		out.StreamOptions = &streamOption{IncludeUsage: true}
	}
	if req.Temperature != nil && allow(temperature) {
		out.Temperature = req.Temperature
	}
	if req.CacheKey != "" && allow(cacheKey) {
		out.PromptCacheKey = req.CacheKey
	}
	switch {
	case req.MaxTokens <= 0:
	case allow(maxTokens):
		out.MaxTokens = req.MaxTokens
	default:
		out.MaxCompletionTokens = req.MaxTokens
	}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, p.message(m))
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, chatTool{Type: "function", Function: chatToolSpec{Name: t.Name, Description: t.Description, Parameters: t.Schema}})
	}
	body, err := json.Marshal(out)
	return body, sent, err
}

func (p *Provider) message(m writ.Message) chatMessage {
	out := chatMessage{Role: m.Role, Content: &m.Content, ToolCallID: m.CallID}
	if len(m.Calls) == 0 {
		return out
	}
	if m.Content == "" {
		out.Content = nil
	}
	var own opaque
	if len(m.Opaque) > 0 {
		// Another provider's opaque text has another form: then there is none.
		if json.Unmarshal(m.Opaque, &own) != nil || own.Provider != p.Name() {
			own = opaque{}
		}
	}
	if p.thoughts {
		out.ReasoningContent = own.Reasoning
	}
	for _, c := range m.Calls {
		args := string(c.Args)
		if !json.Valid(c.Args) {
			args = "{}" // servers parse the history's arguments and fail on others
		}
		out.ToolCalls = append(out.ToolCalls, chatCall{ID: c.ID, Type: "function", Function: chatFunction{c.Name, args}, ExtraContent: own.Extra[c.ID]})
	}
	return out
}
