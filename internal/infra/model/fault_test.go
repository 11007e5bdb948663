package model_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
	"github.com/writ-dev/writ/internal/infra/model/count"
)

// fault is one way in which a server may answer, on each wire that knows it.
type fault struct {
	name      string
	openai    *reply
	anthropic *reply
	want      outcome
	msg       []string // what the error must say
}

// now is the clock of all providers under test.
func now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, group := range [][]fault{brokenStreams(), oddCalls(), stops(), pages(), refusals(), words(), usages()} {
		for _, f := range group {
			for wire, rep := range map[wireName]*reply{chat: f.openai, messages: f.anthropic} {
				if rep == nil {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s", f.name, wire), func(t *testing.T) {
					t.Parallel()
					s := serve(t, *rep)
					p := provider(t, wire, model.Options{BaseURL: s.URL, FirstByte: 3 * time.Second, Idle: 3 * time.Second, Now: now})
					got, _, merr := attempt(t, p, request())
					want := f.want
					if want.Usage == (writ.ModelUsage{}) {
						got.Usage = want.Usage // the case is not about it
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("outcome (-want +got):\n%s\n%v", diff, merr)
					}
					for _, text := range f.msg {
						if merr == nil || !strings.Contains(merr.Error(), text) {
							t.Errorf("error %v does not say %q", merr, text)
						}
					}
					if n := s.requests(); n != 1 {
						t.Errorf("%d requests for one attempt", n)
					}
				})
			}
		}
	}
}

func ptr(r reply) *reply { return &r }

func failure(kind writ.ModelErrorKind) outcome { return outcome{Kind: kind} }

func brokenStreams() []fault {
	args := `{\"path\":\"a`
	return []fault{
		{
			name: "connection closed before the answer", openai: ptr(reply{end: reset}), anthropic: ptr(reply{end: reset}),
			want: failure(writ.ModelTransport),
		},
		{
			name: "reset inside the text", openai: ptr(events(say("half")).ends(reset)), anthropic: ptr(events(start(), textDelta0("half")).ends(reset)),
			want: failure(writ.ModelTransport),
		},
		{
			name: "reset inside a call", openai: ptr(events(fragments(`{"index":0,"id":"c","function":{"name":"write_file","arguments":"` + args + `"}}`)).ends(reset)),
			anthropic: ptr(events(start(), toolStart(0, "c", "write_file"), toolDelta(0, `{"path":"a`)).ends(reset)),
			want:      failure(writ.ModelTransport),
		},
		{
			name: "text without a finish reason", openai: ptr(events(say("all of it"), done)), anthropic: ptr(events(start(), textBlock(0, "all of it"))),
			want: failure(writ.ModelTruncated),
		},
		{
			name: "whole call without a finish reason", openai: ptr(events(fragments(`{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}`), done)),
			anthropic: ptr(events(start(), toolBlock(0, "c", "f", "{}"))),
			want:      failure(writ.ModelTruncated),
		},
		{name: "nothing at all", openai: ptr(events()), anthropic: ptr(events()), want: failure(writ.ModelTruncated)},
		{name: "only the closing mark", openai: ptr(events(done)), anthropic: ptr(events(ev(`{"type":"message_stop"}`))), want: failure(writ.ModelTruncated)},
		{
			name: "finish reason, then no closing mark", openai: ptr(events(say("ok"), finish("stop"))),
			anthropic: ptr(events(start(), textBlock(0, "ok"), ev(`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`))),
			want:      outcome{Text: "ok", Stop: writ.StopEnd},
		},
		{
			name: "finish reason, then a reset", openai: ptr(events(say("ok"), finish("stop")).ends(reset)),
			anthropic: ptr(events(start(), textBlock(0, "ok"), ev(`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`)).ends(reset)),
			want:      outcome{Text: "ok", Stop: writ.StopEnd},
		},
		{
			name: "error object in the stream", openai: ptr(events(say("half"), data(`{"error":{"message":"engine fell over","type":"server_error"}}`))),
			anthropic: ptr(events(start(), textDelta0("half"), ev(`{"type":"error","error":{"type":"overloaded_error","message":"engine fell over"}}`))),
			want:      failure(writ.ModelOverload), msg: []string{"engine fell over"},
		},
		{
			name: "error object of a kind nobody knows", openai: ptr(events(data(`{"error":"engine fell over"}`))), anthropic: ptr(events(ev(`{"type":"error","error":{"message":"engine fell over"}}`))),
			want: failure(writ.ModelOverload), msg: []string{"engine fell over"},
		},
		{
			name: "status in an error's code", openai: ptr(events(data(`{"error":{"code":429,"message":"slow down"}}`))), want: failure(writ.ModelRate),
		},
		{name: "a chunk that is no JSON", openai: ptr(events(data(`{"choices":[{"del`))), anthropic: ptr(events("data: {\"type\":\"mess\n\n")), want: failure(writ.ModelProtocol)},
		{name: "piece of a block that was never opened", anthropic: ptr(events(start(), textDelta(7, "x"))), want: failure(writ.ModelProtocol)},
		{name: "line over the limit", openai: ptr(events("data: ", strings.Repeat("x", 9<<20))), anthropic: ptr(events("data: ", strings.Repeat("x", 9<<20))), want: failure(writ.ModelProtocol), msg: []string{"limit"}},
	}
}

// textDelta0 opens a block of text and begins it.
func textDelta0(text string) string {
	return ev(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`) + textDelta(0, text)
}

func oddCalls() []fault {
	two := outcome{Calls: []string{`read_file {"path":"a"}`, `read_file {"path":"b"}`}, Stop: writ.StopTools}
	one := outcome{Calls: []string{`read_file {"path":"a"}`}, Stop: writ.StopTools}
	end := finish("tool_calls") + done
	stop := stopped("tool_use")
	return []fault{
		{
			name: "two in a row", want: two,
			openai: ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"read_file","arguments":""}}`), fragments(`{"index":0,"function":{"arguments":"{\"path\":"}}`), fragments(`{"index":0,"function":{"arguments":"\"a\"}"}}`),
				fragments(`{"index":1,"id":"y","function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}`), end)),
			anthropic: ptr(events(start(), toolBlock(0, "x", "read_file", "", `{"path":`, `"a"}`), toolBlock(1, "y", "read_file", `{"path":"b"}`), stop)),
		},
		{
			name: "interleaved pieces", want: two,
			openai: ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"read_file","arguments":""}},{"index":1,"id":"y","function":{"name":"read_file","arguments":""}}`),
				fragments(`{"index":0,"function":{"arguments":"{\"path\":"}}`), fragments(`{"index":1,"function":{"arguments":"{\"path\":"}}`),
				fragments(`{"index":0,"function":{"arguments":"\"a\"}"}}`), fragments(`{"index":1,"function":{"arguments":"\"b\"}"}}`), end)),
			anthropic: ptr(events(start(), toolStart(0, "x", "read_file"), toolStart(1, "y", "read_file"), toolDelta(0, `{"path":`), toolDelta(1, `{"path":`), toolDelta(0, `"a"}`), toolDelta(1, `"b"}`), blockStop(0), blockStop(1), stop)),
		},
		{
			name: "no index", want: two,
			openai: ptr(events(fragments(`{"id":"x","function":{"name":"read_file","arguments":""}}`), fragments(`{"function":{"arguments":"{\"path\":\"a\"}"}}`),
				fragments(`{"id":"y","function":{"name":"read_file","arguments":""}}`), fragments(`{"function":{"arguments":"{\"path\":\"b\"}"}}`), end)),
		},
		{
			name: "no index and the same id", want: two,
			openai: ptr(events(fragments(`{"id":"x","function":{"name":"read_file","arguments":""}}`), fragments(`{"function":{"arguments":"{\"path\":\"a\"}"}}`),
				fragments(`{"id":"x","function":{"name":"read_file","arguments":""}}`), fragments(`{"function":{"arguments":"{\"path\":\"b\"}"}}`), end)),
		},
		{
			name: "no index and no id", want: two,
			openai: ptr(events(fragments(`{"function":{"name":"read_file","arguments":""}}`), fragments(`{"function":{"arguments":"{\"path\":\"a\"}"}}`),
				fragments(`{"function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}`), end)),
			anthropic: ptr(events(start(), toolBlock(0, "", "read_file", `{"path":"a"}`), toolBlock(1, "", "read_file", `{"path":"b"}`), stop)),
		},
		{
			name: "ids without an index, interleaved", want: two,
			openai: ptr(events(fragments(`{"id":"x","function":{"name":"read_file","arguments":"{\"path\":"}},{"id":"y","function":{"name":"read_file","arguments":"{\"path\":"}}`),
				fragments(`{"id":"x","function":{"arguments":"\"a\"}"}},{"id":"y","function":{"arguments":"\"b\"}"}}`), end)),
		},
		{
			name: "one index for every call", want: two,
			openai: ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`), fragments(`{"index":0,"id":"y","function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}`), end)),
		},
		{
			name: "one index for every call and no ids", want: two,
			openai: ptr(events(fragments(`{"index":0,"function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`), fragments(`{"index":0,"function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}`), end)),
		},
		{
			name: "the same id for both", want: two,
			openai:    ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`), fragments(`{"index":1,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}`), end)),
			anthropic: ptr(events(start(), toolBlock(0, "x", "read_file", `{"path":"a"}`), toolBlock(1, "x", "read_file", `{"path":"b"}`), stop)),
		},
		{
			name: "id and name on each piece", want: one,
			openai: ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"pa"}}`), fragments(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"th\":\"a\"}"}}`), end)),
		},
		{
			name: "name after the id", want: one,
			openai: ptr(events(fragments(`{"index":0,"id":"x","function":{"name":""}}`), fragments(`{"index":0,"function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`), end)),
		},
		{
			name: "name after the id, without an index", want: one,
			openai: ptr(events(fragments(`{"id":"x"}`), fragments(`{"function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`), end)),
		},
		{
			name: "arguments as an object", want: one,
			openai:    ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"read_file","arguments":{"path":"a"}}}`), end)),
			anthropic: ptr(events(start(), ev(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"x","name":"read_file","input":{"path":"a"}}}`), blockStop(0), stop)),
		},
		{
			name: "finish reason stop with a call", want: one,
			openai:    ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`), finish("stop"), done)),
			anthropic: ptr(events(start(), toolBlock(0, "x", "read_file", `{"path":"a"}`), stopped("end_turn"))),
		},
		{
			name: "no arguments at all", want: outcome{Calls: []string{"list_files {}"}, Stop: writ.StopTools},
			openai: ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"list_files","arguments":""}}`), end)), anthropic: ptr(events(start(), toolBlock(0, "x", "list_files"), stop)),
		},
		{
			name: "the form before tools", want: one,
			openai: ptr(events(data(`{"choices":[{"delta":{"function_call":{"name":"read_file","arguments":""}}}]}`), data(`{"choices":[{"delta":{"function_call":{"arguments":"{\"path\":\"a\"}"}}}]}`), finish("function_call"), done)),
		},
		{
			name: "malformed arguments", want: outcome{Rejected: []string{"f: the arguments are malformed JSON: they end too early"}, Stop: writ.StopTools},
			openai:    ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"f","arguments":"{\"path\":\"a\",\""}}`), end)),
			anthropic: ptr(events(start(), toolBlock(0, "x", "f", `{"path":"a","`), stop)),
		},
		{
			name: "a key twice", want: outcome{Rejected: []string{`f: the arguments hold the key "path" twice`}, Stop: writ.StopTools},
			openai:    ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"f","arguments":"{\"path\":\"a\",\"path\":\"b\"}"}}`), end)),
			anthropic: ptr(events(start(), toolBlock(0, "x", "f", `{"path":"a","path":"b"}`), stop)),
		},
		{
			name: "arguments that are a list", want: outcome{Rejected: []string{"f: the arguments are not a JSON object"}, Stop: writ.StopTools},
			openai: ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"f","arguments":["a"]}}`), end)), anthropic: ptr(events(start(), toolBlock(0, "x", "f", `["a"]`), stop)),
		},
		{
			name: "a call without a name", want: outcome{Rejected: []string{": the call names no tool"}, Stop: writ.StopTools},
			openai: ptr(events(fragments(`{"index":0,"id":"x","function":{"arguments":"{}"}}`), end)), anthropic: ptr(events(start(), toolBlock(0, "x", "", "{}"), stop)),
		},
		{
			name: "a good call beside a bad one", want: outcome{Calls: []string{`read_file {"path":"a"}`}, Rejected: []string{"f: the arguments are not a JSON object"}, Stop: writ.StopTools},
			openai:    ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"f","arguments":"7"}},{"index":1,"id":"y","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`), end)),
			anthropic: ptr(events(start(), toolBlock(0, "x", "f", "7"), toolBlock(1, "y", "read_file", `{"path":"a"}`), stop)),
		},
	}
}

func stops() []fault {
	cut := func(why string) []string { return []string{"f: " + why} }
	length := "the answer was cut by the output limit, so nothing of this call was done"
	filter := "the answer was stopped by the provider's filter, so nothing of this call was done"
	call := fragments(`{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}`)
	block := toolBlock(0, "x", "f", "{}")
	return []fault{
		{name: "length with a whole call", openai: ptr(events(call, finish("length"), done)), anthropic: ptr(events(start(), block, stopped("max_tokens"))), want: outcome{Rejected: cut(length), Stop: writ.StopLength}},
		{name: "length in other words", openai: ptr(events(call, finish("MAX_TOKENS"), done)), anthropic: ptr(events(start(), block, stopped("model_context_window_exceeded"))), want: outcome{Rejected: cut(length), Stop: writ.StopLength}},
		{name: "length with half a call", openai: ptr(events(fragments(`{"index":0,"id":"x","function":{"name":"f","arguments":"{\"a"}}`), finish("length"), done)), anthropic: ptr(events(start(), toolStart(0, "x", "f"), toolDelta(0, `{"a`), stopped("max_tokens"))), want: outcome{Rejected: cut(length), Stop: writ.StopLength}},
		{name: "filter with a whole call", openai: ptr(events(call, finish("content_filter"), done)), anthropic: ptr(events(start(), block, stopped("refusal"))), want: outcome{Rejected: cut(filter), Stop: writ.StopFilter}},
		{name: "refusal in its own field", openai: ptr(events(data(`{"choices":[{"delta":{"refusal":"I won't."}}]}`), finish("stop"), done)), want: outcome{Text: "I won't.", Stop: writ.StopFilter}},
		{name: "a reason nobody knows", openai: ptr(events(say("x"), finish("moon_phase"), done)), anthropic: ptr(events(start(), textBlock(0, "xy"), stopped("moon_phase"))), want: failure(writ.ModelProtocol), msg: []string{"moon_phase"}},
		{name: "a reason that is an error", openai: ptr(events(say("x"), finish("network_error"), done)), want: failure(writ.ModelOverload)},
		{name: "an empty answer that is finished", openai: ptr(events(finish("stop"), done)), anthropic: ptr(events(start(), stopped("end_turn"))), want: outcome{Stop: writ.StopEnd}},
	}
}

func pages() []fault {
	html := reply{header: map[string]string{"Content-Type": "text/html; charset=utf-8"}, pieces: []string{"<!doctype html><h1>Sign in</h1>"}}
	plain := reply{header: map[string]string{"Content-Type": "text/plain"}, pieces: []string{"OK"}}
	return []fault{
		{name: "a sign-in page", openai: &html, anthropic: &html, want: outcome{Kind: writ.ModelProtocol, Status: 200}, msg: []string{"text/html", "Sign in"}},
		{name: "plain text", openai: &plain, anthropic: &plain, want: outcome{Kind: writ.ModelProtocol, Status: 200}, msg: []string{"text/plain"}},
		{name: "no content", openai: ptr(reply{status: 204}), anthropic: ptr(reply{status: 204}), want: outcome{Kind: writ.ModelProtocol, Status: 204}},
		{name: "an error object with 200", openai: ptr(whole(`{"error":{"message":"model not found","type":"invalid_request_error"}}`)), anthropic: ptr(whole(`{"type":"error","error":{"type":"not_found_error","message":"model not found"}}`)), want: outcome{Kind: writ.ModelInvalid, Status: 200}, msg: []string{"model not found"}},
		{name: "a bare error with 200", openai: ptr(whole(`{"error":"model not found"}`)), anthropic: ptr(whole(`{"error":"model not found"}`)), want: outcome{Kind: writ.ModelInvalid, Status: 200}, msg: []string{"model not found"}},
		{name: "other JSON", openai: ptr(whole(`{"status":"ok"}`)), anthropic: ptr(whole(`{"status":"ok"}`)), want: failure(writ.ModelProtocol)},
		{name: "broken JSON", openai: ptr(whole(`{"choices":[`)), anthropic: ptr(whole(`{"type":"mess`)), want: outcome{Kind: writ.ModelProtocol, Status: 200}},
		{
			name: "a whole answer instead of a stream", want: outcome{Text: "ok", Calls: []string{`f {"a":1}`}, Stop: writ.StopTools, Usage: writ.ModelUsage{Input: 9, Output: 2, Source: writ.UsageReported}},
			openai:    ptr(whole(`{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"ok","tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)),
			anthropic: ptr(whole(`{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"ok"},{"type":"tool_use","id":"x","name":"f","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":2}}`)),
		},
		{
			name: "a whole answer without an end", want: failure(writ.ModelTruncated),
			openai: ptr(whole(`{"choices":[{"message":{"content":"ok"}}]}`)), anthropic: ptr(whole(`{"type":"message","content":[{"type":"text","text":"ok"}],"stop_reason":null}`)),
		},
		{
			name: "a stream that calls itself JSON", want: outcome{Text: "ok", Stop: writ.StopEnd},
			openai:    ptr(reply{header: map[string]string{"Content-Type": "application/json"}, pieces: []string{say("ok"), finish("stop"), done}}),
			anthropic: ptr(reply{header: map[string]string{"Content-Type": "application/json"}, pieces: []string{start(), textBlock(0, "ok"), stopped("end_turn")}}),
		},
	}
}

func refusals() []fault {
	status := func(code int, body string, header ...string) reply {
		r := reply{status: code, header: map[string]string{"Content-Type": "application/json"}, pieces: []string{body}}
		for i := 0; i < len(header); i += 2 {
			r.header[header[i]] = header[i+1]
		}
		return r
	}
	both := func(name string, r reply, want outcome, msg ...string) fault {
		return fault{name: name, openai: &r, anthropic: &r, want: want, msg: msg}
	}
	oops := `{"error":{"message":"oops","type":"x"}}`
	return []fault{
		both("400", status(400, oops), outcome{Kind: writ.ModelInvalid, Status: 400}, "oops"),
		both("401 that repeats the key", status(401, `{"error":{"message":"bad key `+testKey+`"}}`), outcome{Kind: writ.ModelAuth, Status: 401}, "[key]"),
		both("402", status(402, oops), outcome{Kind: writ.ModelAuth, Status: 402}),
		both("403", status(403, oops), outcome{Kind: writ.ModelAuth, Status: 403}),
		both("404", status(404, oops), outcome{Kind: writ.ModelInvalid, Status: 404}),
		both("408", status(408, oops), outcome{Kind: writ.ModelOverload, Status: 408}),
		both("413", status(413, oops), outcome{Kind: writ.ModelContext, Status: 413}),
		both("500", status(500, oops), outcome{Kind: writ.ModelOverload, Status: 500}),
		both("503 with a page", reply{status: 503, header: map[string]string{"Content-Type": "text/html", "Retry-After": "7"}, pieces: []string{"<h1>busy</h1>"}}, outcome{Kind: writ.ModelOverload, Status: 503, RetryAfter: 7 * time.Second}, "<h1>busy"),
		both("529", status(529, oops), outcome{Kind: writ.ModelOverload, Status: 529}),
		both("context length by code", status(400, `{"error":{"message":"m","code":"context_length_exceeded"}}`), outcome{Kind: writ.ModelContext, Status: 400}),
		both("context length by its words", status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 204800 tokens > 200000 maximum"}}`), outcome{Kind: writ.ModelContext, Status: 400}),
		both("no money", status(429, `{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}`), outcome{Kind: writ.ModelAuth, Status: 429}),
		both("429", status(429, oops), outcome{Kind: writ.ModelRate, Status: 429}),
		both("429 in seconds", status(429, oops, "Retry-After", "3"), outcome{Kind: writ.ModelRate, Status: 429, RetryAfter: 3 * time.Second}),
		both("429 in milliseconds", status(429, oops, "Retry-After", "250ms"), outcome{Kind: writ.ModelRate, Status: 429, RetryAfter: 250 * time.Millisecond}),
		both("429 with both headers", status(429, oops, "Retry-After", "1", "Retry-After-Ms", "120"), outcome{Kind: writ.ModelRate, Status: 429, RetryAfter: 120 * time.Millisecond}),
		both("429 with a date", status(429, oops, "Retry-After", now().Add(90*time.Second).Format(http.TimeFormat)), outcome{Kind: writ.ModelRate, Status: 429, RetryAfter: 90 * time.Second}),
		both("a huge body", status(500, strings.Repeat("x\x1b[31m", 40_000)), outcome{Kind: writ.ModelOverload, Status: 500}, `\u{1b}`),
		both("a body that breaks off", status(500, "half").ends(reset), outcome{Kind: writ.ModelOverload, Status: 500}, "half"),
	}
}

func words() []fault {
	ok := outcome{Text: "It is done.", Stop: writ.StopEnd}
	thought := outcome{Text: "It is done.", Reasoning: "Let me see.", Stop: writ.StopEnd}
	end := finish("stop") + done
	stop := stopped("end_turn")
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	tight := func(s string) string { return strings.ReplaceAll(s, "data: ", "data:") }
	chatText := say("It is") + say(" done.")
	block := textBlock(0, "It is done.")
	noisy := ": keep-alive\n\ndata:\n\ndata: null\n\n"
	big := strings.Repeat("0123456789abcde\\n", 200_000) // 3.2 MB on one line
	return []fault{
		{name: "plain", openai: ptr(events(chatText, end)), anthropic: ptr(events(start(), block, stop)), want: ok},
		{name: "CRLF", openai: ptr(events(crlf(chatText + end))), anthropic: ptr(events(crlf(start() + block + stop))), want: ok},
		{name: "CR", openai: ptr(events(strings.ReplaceAll(chatText+end, "\n", "\r"))), anthropic: ptr(events(strings.ReplaceAll(start()+block+stop, "\n", "\r"))), want: ok},
		{name: "no blank after the colon", openai: ptr(events(tight(chatText + end))), anthropic: ptr(events(tight(start() + block + stop))), want: ok},
		{name: "keep-alives, blank and null data", openai: ptr(events(noisy, say("It is"), noisy, say(" done."), noisy, end)), anthropic: ptr(events(noisy, start(), noisy, block, ev(`{"type":"ping"}`), stop)), want: ok},
		{name: "byte-order mark", openai: ptr(events("\ufeff", chatText, end)), anthropic: ptr(events("\ufeff", start(), block, stop)), want: ok},
		{name: "byte by byte", openai: ptr(events(strings.Split(chatText+end, "")...)), anthropic: ptr(events(strings.Split(start()+block+stop, "")...)), want: ok},
		{name: "no last empty line", openai: ptr(events(chatText, strings.TrimRight(finish("stop"), "\n"))), anthropic: ptr(events(start(), block, strings.TrimRight(stop, "\n"))), want: ok},
		{name: "empty and null choices", openai: ptr(events(data(`{"choices":[]}`), data(`{"choices":null}`), data(`{}`), chatText, end)), want: ok},
		{name: "null everywhere", openai: ptr(events(data(`{"id":null,"choices":[{"index":null,"delta":{"role":"assistant","content":null,"tool_calls":null,"refusal":null},"finish_reason":null}],"usage":null,"error":null}`), chatText, end)), want: ok},
		{name: "odd types of what nobody needs", openai: ptr(events(data(`{"id":7,"model":["m"],"created":"x","choices":[{"index":"0","delta":{"content":"It is"},"finish_reason":false}]}`), say(" done."), end)), want: ok},
		{name: "text in parts", openai: ptr(events(data(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Let me see."}]},{"type":"text","text":"It is done."}]}}]}`), end)), want: thought},
		{name: "another choice beside the first", openai: ptr(events(say("It is"), data(`{"choices":[{"index":1,"delta":{"content":"NOT MINE"},"finish_reason":"length"}]}`), say(" done."), end)), want: ok},
		{name: "reasoning_content", openai: ptr(events(data(`{"choices":[{"delta":{"reasoning_content":"Let me"}}]}`), data(`{"choices":[{"delta":{"reasoning_content":" see."}}]}`), chatText, end)),
			anthropic: ptr(events(start(), ev(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`), ev(`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me see."}}`), ev(`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`), blockStop(0), textBlock(1, "It is done."), stop)), want: thought},
		{name: "reasoning", openai: ptr(events(data(`{"choices":[{"delta":{"reasoning":"Let me see."}}]}`), chatText, end)), want: thought},
		{name: "the same reasoning in two fields", openai: ptr(events(data(`{"choices":[{"delta":{"reasoning":"Let me see.","reasoning_content":"Let me see."}}]}`), chatText, end)), want: thought},
		{name: "thinking", openai: ptr(events(data(`{"choices":[{"delta":{"thinking":"Let me see."}}]}`), chatText, end)), want: thought},
		{name: "think tags in pieces", openai: ptr(events(say("<th"), say("ink>Let me"), say(" see.</thi"), say("nk>\n\nIt is"), say(" done."), end)), anthropic: ptr(events(start(), textBlock(0, "<think>Let me see.</think>\n\nIt is done."), stop)), want: thought},
		{name: "only the closing think tag", openai: ptr(events(say("Let me see."), say("\n</think>\n\nIt is done."), end)), want: outcome{Text: "It is done.", Reasoning: "Let me see.\n", Stop: writ.StopEnd}},
		{name: "a tag that is text", openai: ptr(events(say("Write `<think>` so."), end)), anthropic: ptr(events(start(), textBlock(0, "Write `<think>` so."), stop)), want: outcome{Text: "Write `<think>` so.", Stop: writ.StopEnd}},
		{name: "more after the finish reason", openai: ptr(events(say("It is"), finish("stop"), say(" done."), done)), want: ok},
		{name: "3 MB on one line", openai: ptr(events(data(`{"choices":[{"delta":{"content":"`+big+`"}}]}`), end)),
			anthropic: ptr(events(start(), ev(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"`+big+`"}}`), blockStop(0), stop)),
			want:      outcome{Text: strings.ReplaceAll(big, `\n`, "\n"), Stop: writ.StopEnd}},
	}
}

func usages() []fault {
	reported := func(in, read, write, out int64) outcome {
		return outcome{Text: "ok", Stop: writ.StopEnd, Usage: writ.ModelUsage{Input: in, CacheRead: read, CacheWrite: write, Output: out, Source: writ.UsageReported}}
	}
	fresh := count.New()
	estimated := outcome{Text: "ok", Stop: writ.StopEnd, Usage: writ.ModelUsage{Input: fresh.EstimateRequest(request()), Output: fresh.Estimate("m", "ok"), Source: writ.UsageEstimated}}
	head := func(usage string) string {
		return ev(`{"type":"message_start","message":{"id":"m","type":"message","model":"m","usage":` + usage + `}}`)
	}
	tail := func(usage string) string {
		return ev(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":`+usage+`}`) + ev(`{"type":"message_stop"}`)
	}
	chatUsage := func(u string) string { return data(`{"choices":[],"usage":` + u + `}`) }
	return []fault{
		{name: "usage at the end", openai: ptr(events(say("ok"), finish("stop"), usage(100, 5), done)), anthropic: ptr(events(head(`{"input_tokens":100,"output_tokens":1}`), textBlock(0, "ok"), tail(`{"output_tokens":5}`))), want: reported(100, 0, 0, 5)},
		{name: "cached tokens", openai: ptr(events(say("ok"), finish("stop"), chatUsage(`{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,"prompt_tokens_details":{"cached_tokens":800,"cache_write_tokens":50}}`), done)), anthropic: ptr(events(head(`{"input_tokens":150,"output_tokens":1,"cache_read_input_tokens":800,"cache_creation_input_tokens":50}`), textBlock(0, "ok"), tail(`{"output_tokens":50}`))), want: reported(1000, 800, 50, 50)},
		{name: "cached tokens in DeepSeek's words", openai: ptr(events(say("ok"), finish("stop"), chatUsage(`{"prompt_tokens":1000,"completion_tokens":50,"prompt_cache_hit_tokens":800}`), done)), want: reported(1000, 800, 0, 50)},
		{name: "more cached than there were", openai: ptr(events(say("ok"), finish("stop"), chatUsage(`{"prompt_tokens":5,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":9000}}`), done)), want: reported(5, 5, 0, 1)},
		{name: "usage on every chunk", openai: ptr(events(data(`{"choices":[{"delta":{"content":"o"}}],"usage":{"prompt_tokens":100,"completion_tokens":1}}`), data(`{"choices":[{"delta":{"content":"k"}}],"usage":{"prompt_tokens":100,"completion_tokens":2}}`), data(`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":2}}`), done)), want: reported(100, 0, 0, 2)},
		{name: "usage on the finish chunk, then another chunk", openai: ptr(events(say("ok"), data(`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":2}}`), data(`{"choices":[]}`), done)), want: reported(100, 0, 0, 2)},
		{name: "usage in Groq's place", openai: ptr(events(say("ok"), data(`{"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":100,"completion_tokens":2}}}`), done)), want: reported(100, 0, 0, 2)},
		{name: "all of it in the later report", anthropic: ptr(events(head(`null`), textBlock(0, "ok"), tail(`{"input_tokens":90,"cache_read_input_tokens":10,"output_tokens":5}`))), want: reported(100, 10, 0, 5)},
		{name: "reported zeros", openai: ptr(events(say("ok"), finish("stop"), usage(0, 0), done)), anthropic: ptr(events(head(`{"input_tokens":0,"output_tokens":0}`), textBlock(0, "ok"), tail(`{"output_tokens":0}`))), want: reported(0, 0, 0, 0)},
		{name: "usage null", openai: ptr(events(say("ok"), finish("stop"), chatUsage("null"), done)), anthropic: ptr(events(head("null"), textBlock(0, "ok"), tail("null"))), want: estimated},
		{name: "no usage", openai: ptr(events(say("ok"), finish("stop"), done)), anthropic: ptr(events(ev(`{"type":"message_start","message":{"id":"m"}}`), textBlock(0, "ok"), ev(`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`), ev(`{"type":"message_stop"}`))), want: estimated},
		{name: "usage that is nonsense", openai: ptr(events(say("ok"), finish("stop"), chatUsage(`{"prompt_tokens":"many","completion_tokens":-4}`), done)), want: estimated},
	}
}
