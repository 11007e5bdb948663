package writ

import "encoding/json"

// MessageRole says who speaks in a conversation with a model.
type MessageRole string

// The message roles.
const (
	RoleSystem    MessageRole = "system"
	RoleUser      MessageRole = "user"
	RoleAssistant MessageRole = "assistant"
	RoleTool      MessageRole = "tool"
)

// Message is one turn of a conversation. Calls are set on an assistant's turn,
// CallID and Name on a tool's. Cache marks the end of a prefix that stays the
// same from call to call, so that a provider may cache it. Opaque holds what a
// provider wants back unchanged (thinking signatures); it is never shown.
type Message struct {
	Role    MessageRole     `json:"role"`
	Content string          `json:"content"`
	Calls   []ToolCall      `json:"calls,omitempty"`
	CallID  string          `json:"call_id,omitempty"`
	Name    string          `json:"name,omitempty"`
	IsError bool            `json:"is_error,omitempty"`
	Cache   bool            `json:"cache,omitempty"`
	Opaque  json.RawMessage `json:"opaque,omitempty"`
}

// ToolCall is a call that a model made in whole: its arguments are one valid
// JSON object, without a key twice. ID is unique within a task.
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// RejectedCall is a call that was cut or malformed. It is told to the model
// and never executed.
type RejectedCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Raw  string `json:"raw"` // at most 2 KiB of what came
	Why  string `json:"why"`
}
