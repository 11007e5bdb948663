package anthropic

import (
	"encoding/json"

	"github.com/writ-dev/writ"
)

// event is one event of a stream; its type says which fields count.
type event struct {
	Type         string       `json:"type"`
	Index        int          `json:"index"`
	Message      apiMessage   `json:"message"`
	ContentBlock contentBlock `json:"content_block"`
	Delta        delta        `json:"delta"`
	Usage        *usage       `json:"usage"`
}

// apiMessage is a whole answer, or the head of a streamed one.
type apiMessage struct {
	ID         string            `json:"id"`
	Type       string            `json:"type"`
	Model      string            `json:"model"`
	Content    []json.RawMessage `json:"content"`
	StopReason string            `json:"stop_reason"`
	Usage      *usage            `json:"usage"`
}

type contentBlock struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	Input     json.RawMessage `json:"input"`
}

type delta struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Thinking    string `json:"thinking"`
	Signature   string `json:"signature"`
	PartialJSON string `json:"partial_json"`
	StopReason  string `json:"stop_reason"`
}

// usage reports come twice; what the later one leaves out stays as it was.
type usage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
}

// merge lays a later report over an earlier one.
func (u *usage) merge(later *usage) *usage {
	if later == nil {
		return u
	}
	if u == nil {
		u = &usage{}
	}
	out := *u
	for _, f := range []struct{ to, from **int64 }{
		{&out.Input, &later.Input}, {&out.Output, &later.Output}, {&out.CacheRead, &later.CacheRead}, {&out.CacheWrite, &later.CacheWrite},
	} {
		if *f.from != nil {
			*f.to = *f.from
		}
	}
	return &out
}

// total adds up what the API reports apart. It is nil where nothing, or only
// the output, was reported.
func (u *usage) total() *writ.ModelUsage {
	if u == nil || u.Input == nil && u.CacheRead == nil {
		return nil
	}
	n := func(p *int64) int64 {
		if p == nil {
			return 0
		}
		return max(*p, 0)
	}
	out := &writ.ModelUsage{CacheRead: n(u.CacheRead), CacheWrite: n(u.CacheWrite), Output: n(u.Output)}
	out.Input = n(u.Input) + out.CacheRead + out.CacheWrite
	return out
}
