package openai

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/writ-dev/writ"
)

// chunk is one event of a stream, or a whole answer: the two differ only in
// the name of what a choice holds.
type chunk struct {
	ID          word            `json:"id"`
	Model       word            `json:"model"`
	Fingerprint word            `json:"system_fingerprint"`
	Choices     []choice        `json:"choices"`
	Usage       json.RawMessage `json:"usage"`
	Groq        struct {
		Usage json.RawMessage `json:"usage"`
	} `json:"x_groq"`
}

type choice struct {
	Index        number  `json:"index"`
	Delta        message `json:"delta"`
	Message      message `json:"message"`
	FinishReason word    `json:"finish_reason"`
}

type message struct {
	Content          content      `json:"content"`
	Refusal          word         `json:"refusal"`
	ReasoningContent word         `json:"reasoning_content"`
	Reasoning        word         `json:"reasoning"`
	Thinking         word         `json:"thinking"`
	ToolCalls        []fragment   `json:"tool_calls"`
	FunctionCall     *callPayload `json:"function_call"` // the protocol's form before tools
}

// fragment is a piece of a tool call.
type fragment struct {
	Index    number          `json:"index"`
	ID       word            `json:"id"`
	Function callPayload     `json:"function"`
	Extra    json.RawMessage `json:"extra_content"`
}

type callPayload struct {
	Name      word            `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// args is a piece of arguments as text: the content of a string, or whatever
// other JSON value stands there, word by word.
func (p callPayload) args() string {
	raw := strings.TrimSpace(string(p.Arguments))
	if raw == "" || raw == "null" {
		return ""
	}
	var s string
	if raw[0] == '"' && json.Unmarshal(p.Arguments, &s) == nil {
		return s
	}
	return raw
}

// word is a text where servers may also send null or something else.
type word string

// UnmarshalJSON never fails: what is no string is no text.
func (w *word) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*w = word(s)
	}
	return nil
}

// number is an index that may be missing, or be a string.
type number struct {
	n   int
	set bool
}

// UnmarshalJSON never fails: what is no number is not set.
func (n *number) UnmarshalJSON(raw []byte) error {
	if v, err := strconv.Atoi(strings.Trim(string(raw), `"`)); err == nil {
		*n = number{v, true}
	}
	return nil
}

// content is text, null, or a list of parts.
type content struct {
	text    string
	thought string
}

// UnmarshalJSON never fails: parts of other kinds hold no text.
func (c *content) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &c.text) == nil {
		return nil
	}
	var parts []struct {
		Type     word            `json:"type"`
		Text     word            `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	for _, p := range parts {
		if len(p.Thinking) > 0 {
			var inner content
			_ = inner.UnmarshalJSON(p.Thinking) // never fails
			c.thought += inner.text
			continue
		}
		c.text += string(p.Text)
	}
	return nil
}

// usage is a report of tokens. Numbers that are no numbers are not there.
type usage struct {
	Prompt     tokens `json:"prompt_tokens"`
	Completion tokens `json:"completion_tokens"`
	Details    struct {
		Cached tokens `json:"cached_tokens"`
		Write  tokens `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	OutDetails struct {
		Reasoning tokens `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	CacheHit tokens `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cached   tokens `json:"cached_tokens"`           // Moonshot
}

type tokens struct {
	n   int64
	set bool
}

// UnmarshalJSON never fails: what is no count is not set.
func (t *tokens) UnmarshalJSON(raw []byte) error {
	var f float64
	if string(raw) != "null" && json.Unmarshal(raw, &f) == nil && f >= 0 && f < 1e15 {
		*t = tokens{int64(f), true}
	}
	return nil
}

// report reads a usage object, or gives nil where nothing was reported.
func report(raw json.RawMessage) *writ.ModelUsage {
	var u usage
	if len(raw) == 0 || json.Unmarshal(raw, &u) != nil || !u.Prompt.set && !u.Completion.set {
		return nil
	}
	out := &writ.ModelUsage{Input: u.Prompt.n, Output: u.Completion.n, Reasoning: min(u.OutDetails.Reasoning.n, u.Completion.n)}
	out.CacheRead = min(max(u.Details.Cached.n, u.CacheHit.n, u.Cached.n), out.Input)
	out.CacheWrite = min(u.Details.Write.n, out.Input-out.CacheRead)
	return out
}
