package model_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
)

// conversation is one with everything that a request may hold.
func conversation() *writ.Request {
	temperature := 0.3
	return &writ.Request{
		Task: "t_1", Agent: "coder", Model: "m", MaxTokens: 900, Temperature: &temperature, CacheKey: "t_1/coder",
		Messages: []writ.Message{
			{Role: writ.RoleSystem, Content: "You write code.", Cache: true},
			{Role: writ.RoleUser, Content: "Go."},
			{Role: writ.RoleAssistant, Calls: []writ.ToolCall{
				{ID: "functions.read:0", Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)},
				{ID: "call_2", Name: "list_files", Args: json.RawMessage(`{`)},
			}},
			{Role: writ.RoleTool, CallID: "functions.read:0", Name: "read_file", Content: `{"ok":true}`},
			{Role: writ.RoleTool, CallID: "call_2", Name: "list_files", Content: `{"ok":false}`, IsError: true},
			{Role: writ.RoleUser, Content: "Mind the tests."},
			{Role: writ.RoleAssistant, Content: ""},
			{Role: writ.RoleUser, Content: "And?", Cache: true},
		},
		Tools: []writ.ModelTool{{Name: "read_file", Description: "Reads.", Schema: json.RawMessage(`{"type":"object"}`)}},
	}
}

const chatBody = `{
 "model": "m", "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 900, "temperature": 0.3,
 "prompt_cache_key": "t_1/coder",
 "messages": [
  {"role": "system", "content": "You write code."},
  {"role": "user", "content": "Go."},
  {"role": "assistant", "content": null, "tool_calls": [
   {"id": "functions.read:0", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"a\"}"}},
   {"id": "call_2", "type": "function", "function": {"name": "list_files", "arguments": "{}"}}]},
  {"role": "tool", "content": "{\"ok\":true}", "tool_call_id": "functions.read:0"},
  {"role": "tool", "content": "{\"ok\":false}", "tool_call_id": "call_2"},
  {"role": "user", "content": "Mind the tests."},
  {"role": "assistant", "content": ""},
  {"role": "user", "content": "And?"}],
 "tools": [{"type": "function", "function": {"name": "read_file", "description": "Reads.", "parameters": {"type": "object"}}}]
}`

const messagesBody = `{
 "model": "m", "stream": true, "max_tokens": 900, "temperature": 0.3,
 "system": [{"type": "text", "text": "You write code.", "cache_control": {"type": "ephemeral"}}],
 "messages": [
  {"role": "user", "content": [{"type": "text", "text": "Go."}]},
  {"role": "assistant", "content": [
   {"type": "tool_use", "id": "ID", "name": "read_file", "input": {"path": "a"}},
   {"type": "tool_use", "id": "call_2", "name": "list_files", "input": {}}]},
  {"role": "user", "content": [
   {"type": "tool_result", "tool_use_id": "ID", "content": "{\"ok\":true}"},
   {"type": "tool_result", "tool_use_id": "call_2", "content": "{\"ok\":false}", "is_error": true},
   {"type": "text", "text": "Mind the tests."},
   {"type": "text", "text": "And?", "cache_control": {"type": "ephemeral"}}]}],
 "tools": [{"name": "read_file", "description": "Reads.", "input_schema": {"type": "object"}}]
}`

func TestRequestBodies(t *testing.T) {
	t.Parallel()
	bothWires(t, func(t *testing.T, wire wireName) {
		s := serve(t, answers(wire, "ok"))
		if _, _, merr := attempt(t, provider(t, wire, model.Options{BaseURL: s.URL}), conversation()); merr != nil {
			t.Fatal(merr)
		}
		_, _, got := s.last(t)
		text := chatBody
		if wire == messages {
			text = messagesBody
			// The id with a dot and a colon goes out in letters that the API
			// takes, the same for the call and for its result.
			raw, _ := json.Marshal(got["messages"])
			_, rest, _ := strings.Cut(string(raw), `"toolu_`)
			id, _, _ := strings.Cut(rest, `"`)
			text = strings.ReplaceAll(text, "ID", "toolu_"+id)
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("body (-want +got):\n%s", diff)
		}
	})
}

func TestCacheMarksAreFour(t *testing.T) {
	t.Parallel()
	s := serve(t, answers(messages, "ok"))
	req := request()
	for range 10 {
		req.Messages = append(req.Messages,
			writ.Message{Role: writ.RoleAssistant, Content: "Yes.", Cache: true}, writ.Message{Role: writ.RoleUser, Content: "On.", Cache: true})
	}
	if _, _, merr := attempt(t, provider(t, messages, model.Options{BaseURL: s.URL}), req); merr != nil {
		t.Fatal(merr)
	}
	if n := strings.Count(s.bodies[0], "cache_control"); n != 4 {
		t.Errorf("%d cache marks, and the API takes 4", n)
	}
	if tail := s.bodies[0][strings.LastIndex(s.bodies[0], "On."):]; !strings.Contains(tail, "cache_control") {
		t.Error("the last marked prefix has no mark")
	}
}

// callsOf is an answer with calls of these ids.
func callsOf(wire wireName, ids ...string) reply {
	rep := events()
	if wire == messages {
		rep.pieces = append(rep.pieces, start())
	}
	for i, id := range ids {
		if wire == chat {
			rep.pieces = append(rep.pieces, fragments(fmt.Sprintf(`{"index":%d,"id":%s,"function":{"name":"f","arguments":"{}"}}`, i, quoted(id))))
		} else {
			rep.pieces = append(rep.pieces, toolBlock(i, id, "f", "{}"))
		}
	}
	if wire == chat {
		rep.pieces = append(rep.pieces, finish("tool_calls"), done)
	} else {
		rep.pieces = append(rep.pieces, stopped("tool_use"))
	}
	return rep
}

func TestCallIDs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		ids  []string
		kept bool // the server's own are used
	}{
		{"its own", []string{"call_a", "call_b"}, true},
		{"none", []string{"", ""}, false},
		{"twice the same", []string{"call_a", "call_a"}, false},
		{"one of an earlier turn", []string{"call_0", "call_0"}, false},
		{"with control characters", []string{"a\u0007", "b\n"}, false},
		{"far too long", []string{strings.Repeat("x", 5000), "y"}, false},
	} {
		bothWires(t, func(t *testing.T, wire wireName) {
			s := serve(t, callsOf(wire, tt.ids...), callsOf(wire, tt.ids...), answers(wire, "ok"))
			p := provider(t, wire, model.Options{BaseURL: s.URL})
			req := request()
			req.Messages = append(req.Messages,
				writ.Message{Role: writ.RoleAssistant, Calls: []writ.ToolCall{{ID: "call_0", Name: "f", Args: json.RawMessage(`{}`)}}},
				writ.Message{Role: writ.RoleTool, CallID: "call_0", Content: "{}"})
			seen := map[string]bool{"call_0": true}
			var all []string
			for range 2 {
				_, resp, merr := attempt(t, p, req)
				if merr != nil {
					t.Fatal(merr)
				}
				next := writ.Message{Role: writ.RoleAssistant, Calls: resp.Calls}
				req.Messages = append(req.Messages, next)
				for _, c := range resp.Calls {
					if c.ID == "" || len(c.ID) > 128 || seen[c.ID] {
						t.Errorf("%s: id %q is empty, long or not unique", tt.name, c.ID)
					}
					seen[c.ID] = true
					all = append(all, c.ID)
					req.Messages = append(req.Messages, writ.Message{Role: writ.RoleTool, CallID: c.ID, Content: "{}"})
				}
			}
			if tt.kept && (all[0] != tt.ids[0] || all[1] != tt.ids[1]) {
				t.Errorf("%s: ids %v, want the server's %v first", tt.name, all, tt.ids)
			}
			if _, _, merr := attempt(t, p, req); merr != nil {
				t.Fatal(merr)
			}
			body := s.bodies[len(s.bodies)-1]
			for _, id := range all {
				if n := strings.Count(body, `"`+id+`"`); n != 2 {
					t.Errorf("%s: the server sees id %q %d times, want it with the call and with its result", tt.name, id, n)
				}
			}
		})
	}
}

func TestIDsAreTheSameWhenAnAttemptIsRepeated(t *testing.T) {
	t.Parallel()
	bothWires(t, func(t *testing.T, wire wireName) {
		s := serve(t, callsOf(wire, "", ""))
		p := provider(t, wire, model.Options{BaseURL: s.URL})
		_, first, _ := attempt(t, p, request())
		_, second, _ := attempt(t, p, request())
		if diff := cmp.Diff(first.Calls, second.Calls); diff != "" {
			t.Errorf("calls of two equal attempts (-first +second):\n%s", diff)
		}
		other := request()
		other.Agent = "planner"
		if _, third, _ := attempt(t, p, other); third.Calls[0].ID == first.Calls[0].ID {
			t.Errorf("two agents of one task got the same id %q", first.Calls[0].ID)
		}
	})
}

func TestReasoningIsNotSentBack(t *testing.T) {
	t.Parallel()
	s := serve(t, events(data(`{"choices":[{"delta":{"reasoning_content":"SECRET THOUGHT"}}]}`),
		fragments(`{"index":0,"id":"x","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}}`), finish("tool_calls"), done))
	p := provider(t, chat, model.Options{BaseURL: s.URL})
	_, resp, merr := attempt(t, p, request())
	if merr != nil {
		t.Fatal(merr)
	}
	if resp.Reasoning != "SECRET THOUGHT" {
		t.Errorf("reasoning %q", resp.Reasoning)
	}
	next := request()
	next.Messages = append(next.Messages, writ.Message{Role: writ.RoleAssistant, Calls: resp.Calls, Opaque: resp.Opaque},
		writ.Message{Role: writ.RoleTool, CallID: resp.Calls[0].ID, Content: "{}"})
	attempt(t, p, next)
	body := s.bodies[1]
	if strings.Contains(body, "SECRET THOUGHT") || strings.Contains(body, "reasoning") {
		t.Errorf("the reasoning went back to a server that did not ask for it: %s", body)
	}
	if !strings.Contains(body, "thought_signature") {
		t.Errorf("what the server attached to its call did not go back to it: %s", body)
	}
	attempt(t, provider(t, chat, model.Options{Name: "another", BaseURL: s.URL}), next)
	if strings.Contains(s.bodies[2], "thought_signature") {
		t.Errorf("what one provider attached went to another: %s", s.bodies[2])
	}
}

func TestThinkingGoesBackToItsProvider(t *testing.T) {
	t.Parallel()
	thinking := ev(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`) +
		ev(`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}`) +
		ev(`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`) + blockStop(0) +
		ev(`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"ZGF0YQ"}}`) + blockStop(1)
	s := serve(t, events(start(), thinking, toolBlock(2, "x", "f", "{}"), stopped("tool_use")), answers(messages, "ok"))
	p := provider(t, messages, model.Options{BaseURL: s.URL})
	_, resp, merr := attempt(t, p, request())
	if merr != nil {
		t.Fatal(merr)
	}
	next := request()
	next.Messages = append(next.Messages, writ.Message{Role: writ.RoleAssistant, Calls: resp.Calls, Opaque: resp.Opaque})
	attempt(t, p, next)
	_, _, body := s.last(t)
	turns := body["messages"].([]any)
	want := []any{
		map[string]any{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
		map[string]any{"type": "redacted_thinking", "data": "ZGF0YQ"},
		map[string]any{"type": "tool_use", "id": "x", "name": "f", "input": map[string]any{}},
	}
	if diff := cmp.Diff(want, turns[1].(map[string]any)["content"]); diff != "" {
		t.Errorf("the turn as it went back (-want +got):\n%s", diff)
	}
	attempt(t, provider(t, messages, model.Options{Name: "another", BaseURL: s.URL}), next)
	if strings.Contains(s.bodies[2], "thinking") {
		t.Errorf("one provider's thinking went to another: %s", s.bodies[2])
	}
}

func TestRefusedSettingsAreLeftOut(t *testing.T) {
	t.Parallel()
	refusal := func(msg string) reply {
		body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": msg, "type": "invalid_request_error"}})
		return reply{status: 400, header: map[string]string{"Content-Type": "application/json"}, pieces: []string{string(body)}}
	}
	for _, tt := range []struct {
		name, msg, gone, instead string
	}{
		{"temperature", "Unsupported value: 'temperature' does not support 0.3 with this model.", "temperature", ""},
		{"max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens", "max_completion_tokens"},
		{"stream_options", "Unknown field: stream_options", "stream_options", ""},
		{"prompt_cache_key", "Extra inputs are not permitted: prompt_cache_key", "prompt_cache_key", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, refusal(tt.msg), answers(chat, "ok"))
			p := provider(t, chat, model.Options{BaseURL: s.URL})
			if got, _, merr := attempt(t, p, conversation()); got.Kind != writ.ModelProtocol || !strings.Contains(merr.Msg, tt.gone) {
				t.Errorf("first attempt: %+v %v, want an error that may be tried again", got, merr)
			}
			if got, _, merr := attempt(t, p, conversation()); got.Text != "ok" {
				t.Errorf("second attempt: %v", merr)
			}
			_, _, body := s.last(t)
			if _, there := body[tt.gone]; there {
				t.Errorf("%s was sent again", tt.gone)
			}
			if _, there := body[tt.instead]; tt.instead != "" && !there {
				t.Errorf("%s was not sent instead", tt.instead)
			}
		})
	}
	t.Run("another complaint stays what it is", func(t *testing.T) {
		t.Parallel()
		s := serve(t, refusal("temperature must be at most 2"))
		if got, _, _ := attempt(t, provider(t, chat, model.Options{BaseURL: s.URL}), conversation()); got.Kind != writ.ModelInvalid {
			t.Errorf("got %+v, want invalid", got)
		}
	})
	t.Run("models that refuse sampling settings are never sent any", func(t *testing.T) {
		t.Parallel()
		for name, plain := range map[string]bool{"o3-mini": false, "gpt-5.5": false, "openai/gpt-5-mini": false, "gpt-4o": true, "olmo-3": true, "gpt-oss-120b": true} {
			s := serve(t, answers(chat, "ok"))
			req := conversation()
			req.Model = name
			attempt(t, provider(t, chat, model.Options{BaseURL: s.URL}), req)
			_, _, body := s.last(t)
			_, temperature := body["temperature"]
			_, limit := body["max_tokens"]
			if temperature != plain || limit != plain {
				t.Errorf("%s: temperature sent %t, max_tokens sent %t, want %t", name, temperature, limit, plain)
			}
		}
	})
}
