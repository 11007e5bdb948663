package writ

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"
)

// Provider speaks to one model service. Implementations are safe for
// concurrent use.
type Provider interface {
	// Name is the provider's name in the configuration and in events.
	Name() string
	// Stream makes exactly one attempt: no retry, no fall-back and no repair
	// happens inside. The sequence ends with exactly one terminal item, either
	// an event whose Done is set or an error that is a *ModelError; nothing
	// follows it. Breaking out of the loop or cancelling ctx closes the
	// connection. A stream that ended without a finish reason is a ModelError
	// of kind truncated, never a Done.
	Stream(ctx context.Context, req *Request) iter.Seq2[ModelEvent, error]
}

// Request is one model call. Task and Agent travel as X-Writ-Task and
// X-Writ-Agent headers, so that gateways can tell who asks.
type Request struct {
	Task        string      `json:"-"`
	Agent       string      `json:"-"`
	Model       string      `json:"model"`
	Messages    []Message   `json:"messages"`
	Tools       []ModelTool `json:"tools,omitempty"`
	MaxTokens   int         `json:"max_tokens,omitempty"` // output tokens
	Temperature *float64    `json:"temperature,omitempty"`
	CacheKey    string      `json:"cache_key,omitempty"`
}

// ModelTool is a tool as a model sees it. Schema is a JSON Schema object.
type ModelTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// ModelEvent is one piece of a streamed answer; only one field is set.
type ModelEvent struct {
	Text      string
	Reasoning string
	Done      *Response
}

// StopReason says why a model stopped.
type StopReason string

// The stop reasons. Length and filter never come with executable calls.
const (
	StopEnd    StopReason = "stop"
	StopTools  StopReason = "tool_calls"
	StopLength StopReason = "length"
	StopFilter StopReason = "filter"
)

// String returns the stop reason's name.
func (s StopReason) String() string { return string(s) }

// Response is one whole answer.
type Response struct {
	Text      string          `json:"text"`
	Reasoning string          `json:"reasoning,omitempty"`
	Calls     []ToolCall      `json:"calls,omitempty"`
	Rejected  []RejectedCall  `json:"rejected,omitempty"`
	Stop      StopReason      `json:"stop"`
	Usage     ModelUsage      `json:"usage"`
	Model     string          `json:"model"`
	RequestID string          `json:"request_id,omitempty"`
	Opaque    json.RawMessage `json:"opaque,omitempty"`
}

// ModelErrorKind says what went wrong with a call, and so what may help.
type ModelErrorKind string

// The kinds of model errors.
const (
	ModelAuth      ModelErrorKind = "auth"      // the key is missing or refused
	ModelRate      ModelErrorKind = "rate"      // 429
	ModelOverload  ModelErrorKind = "overload"  // 5xx
	ModelContext   ModelErrorKind = "context"   // the request is over the window
	ModelInvalid   ModelErrorKind = "invalid"   // any other 4xx
	ModelTransport ModelErrorKind = "transport" // no connection, or one that broke
	ModelTruncated ModelErrorKind = "truncated" // ended without a finish reason, or the server cut the prompt
	ModelProtocol  ModelErrorKind = "protocol"  // not an API answer
	ModelTimeout   ModelErrorKind = "timeout"   // no first byte, or idle too long
)

// String returns the kind's name.
func (k ModelErrorKind) String() string { return string(k) }

// ModelError is the terminal error of one attempt. Partial is what had
// arrived, for the record only; its calls are never executed. Msg holds no
// key and no response body over 200 characters.
type ModelError struct {
	Kind       ModelErrorKind
	Status     int
	Msg        string
	RetryAfter time.Duration
	Partial    *Response
	Err        error
}

// Error names kind, status and message in one line.
func (e *ModelError) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d): %s", e.Kind, e.Status, e.Msg)
	}
	return fmt.Sprintf("%s: %s", e.Kind, e.Msg)
}

// Unwrap returns the cause.
func (e *ModelError) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed if sent again.
func (e *ModelError) Retryable() bool {
	switch e.Kind {
	case ModelRate, ModelOverload, ModelTransport, ModelTruncated, ModelTimeout, ModelProtocol:
		return true
	case ModelAuth, ModelContext, ModelInvalid:
		return false
	default:
		return false
	}
}
