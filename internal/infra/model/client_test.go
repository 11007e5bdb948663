package model_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
	"github.com/writ-dev/writ/internal/infra/model/openai"
)

// bothWires runs a check on each wire.
func bothWires(t *testing.T, check func(t *testing.T, wire wireName)) {
	t.Helper()
	for _, wire := range []wireName{chat, messages} {
		t.Run(string(wire), func(t *testing.T) {
			t.Parallel()
			check(t, wire)
		})
	}
}

// answers is a short whole answer on a wire.
func answers(wire wireName, text string) reply {
	if wire == chat {
		return events(say(text), finish("stop"), done)
	}
	return events(start(), textBlock(0, text), stopped("end_turn"))
}

// begins is the first half of an answer.
func begins(wire wireName, text string) reply {
	if wire == chat {
		return events(say(text))
	}
	return events(start(), textDelta0(text))
}

func TestClocks(t *testing.T) {
	t.Parallel()
	const short, long = 40 * time.Millisecond, time.Minute
	bothWires(t, func(t *testing.T, wire wireName) {
		for _, tt := range []struct {
			name        string
			reply       reply
			first, idle time.Duration
			want        outcome
			atLeast     time.Duration
		}{
			{"no headers", reply{end: hang}, short, long, failure(writ.ModelTimeout), short},
			{"silence after the headers", events(": wait\n\n").ends(hang), long, short, failure(writ.ModelTimeout), 0},
			{"silence in the middle", begins(wire, "half").ends(hang), long, short, failure(writ.ModelTimeout), short},
			{"silence after the end", finished(wire).ends(hang), long, short, outcome{Text: "ok", Stop: writ.StopEnd}, short},
		} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				s := serve(t, tt.reply)
				begin := time.Now()
				got, _, merr := attempt(t, provider(t, wire, model.Options{BaseURL: s.URL, FirstByte: tt.first, Idle: tt.idle}), request())
				got.Usage = writ.ModelUsage{}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("outcome (-want +got):\n%s\n%v", diff, merr)
				}
				if took := time.Since(begin); took < tt.atLeast || took > 10*time.Second {
					t.Errorf("it took %s", took)
				}
				await(t, s.gone)
			})
		}
	})
}

// finished is an answer with its reason to stop and without its closing mark.
func finished(wire wireName) reply {
	if wire == chat {
		return events(say("ok"), finish("stop"))
	}
	return events(start(), textBlock(0, "ok"), ev(`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`))
}

// await fails where the server does not see its connection closed soon.
func await(t *testing.T, gone <-chan struct{}) {
	t.Helper()
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("the connection stayed open")
	}
}

func TestCancelClosesTheConnection(t *testing.T) {
	t.Parallel()
	bothWires(t, func(t *testing.T, wire wireName) {
		s := serve(t, begins(wire, "half").ends(hang))
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		reason := errors.New("enough")
		var last error
		for e, err := range provider(t, wire, model.Options{BaseURL: s.URL}).Stream(ctx, request()) {
			if e.Text != "" {
				cancel(reason)
			}
			last = err
		}
		if !errors.Is(last, reason) {
			t.Errorf("got %v, want the cause", last)
		}
		await(t, s.gone)
	})
}

func TestBreakingOffClosesTheConnection(t *testing.T) {
	t.Parallel()
	bothWires(t, func(t *testing.T, wire wireName) {
		s := serve(t, begins(wire, "half").ends(hang))
		for range provider(t, wire, model.Options{BaseURL: s.URL}).Stream(t.Context(), request()) {
			break
		}
		await(t, s.gone)
	})
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	bothWires(t, func(t *testing.T, wire wireName) {
		s := serve(t, answers(wire, "ok"))
		p := provider(t, wire, model.Options{BaseURL: s.URL, Headers: map[string]string{"X-Team": "blue"}})
		if got, _, merr := attempt(t, p, request()); got.Text != "ok" {
			t.Fatal(merr)
		}
		head, _, _ := s.last(t)
		want := map[string]string{"X-Writ-Task": "t_1", "X-Writ-Agent": "coder", "X-Team": "blue", "Content-Type": "application/json"}
		if wire == chat {
			want["Authorization"] = "Bearer " + testKey
		} else {
			want["X-Api-Key"], want["Anthropic-Version"] = testKey, "2023-06-01"
		}
		got := map[string]string{}
		for name := range want {
			got[name] = head.Get(name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("headers (-want +got):\n%s", diff)
		}
	})
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"":                             "/v1/chat/completions",
		"/":                            "/v1/chat/completions",
		"/v1":                          "/v1/chat/completions",
		"/v1/":                         "/v1/chat/completions",
		"/v1//":                        "/v1/chat/completions",
		"/openai/v1":                   "/openai/v1/chat/completions",
		"/v1beta/openai/":              "/v1beta/openai/chat/completions",
		"/api/paas/v4":                 "/api/paas/v4/chat/completions",
		"/proxy":                       "/proxy/v1/chat/completions",
		"/v1/chat/completions":         "/v1/chat/completions",
		"/deployments/x?api-version=2": "/deployments/x/chat/completions?api-version=2",
	} {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			s := serve(t, answers(chat, "ok"))
			if _, _, merr := attempt(t, provider(t, chat, model.Options{BaseURL: s.URL + base}), request()); merr != nil {
				t.Fatal(merr)
			}
			if _, path, _ := s.last(t); path != want {
				t.Errorf("posted to %s, want %s", path, want)
			}
		})
	}
}

func TestOptionsAreRefused(t *testing.T) {
	t.Parallel()
	good := model.Options{Name: "p", BaseURL: "https://api.example.com/v1"}
	for name, change := range map[string]func(*model.Options){
		"name":                func(o *model.Options) { o.Name = "" },
		"base_url":            func(o *model.Options) { o.BaseURL = "" },
		"base_url ":           func(o *model.Options) { o.BaseURL = "api.example.com" },
		"base_url  ":          func(o *model.Options) { o.BaseURL = "file:///etc/passwd" },
		"base_url   ":         func(o *model.Options) { o.BaseURL = "https://me:hunter22@api.example.com" },
		"base_url    ":        func(o *model.Options) { o.BaseURL = "https://me:hunter22@api.example.com:x%zz" },
		"timeouts.first_byte": func(o *model.Options) { o.FirstByte = -1 },
		"timeouts.idle":       func(o *model.Options) { o.Idle = -1 },
		"api key":             func(o *model.Options) { o.APIKey = "a\r\nX-Evil: 1" },
		"headers":             func(o *model.Options) { o.Headers = map[string]string{"X-A": "b\nX-Evil: 1"} },
		"headers ":            func(o *model.Options) { o.Headers = map[string]string{"X A": "b"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := good
			change(&opts)
			_, err := openai.New(opts)
			if writ.CodeOf(err) != writ.CodeConfig || !strings.Contains(err.Error(), strings.TrimSpace(name)) || strings.Contains(err.Error(), "hunter22") {
				t.Errorf("got %v, want a CONFIG error that names %q and no password", err, name)
			}
		})
	}
	if _, err := openai.New(good); err != nil {
		t.Errorf("good options: %v", err)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	bothWires(t, func(t *testing.T, wire wireName) {
		stolen := make(chan http.Header, 1)
		thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stolen <- r.Header.Clone()
			_, _ = io.WriteString(w, "{}")
		}))
		defer thief.Close()
		for _, status := range []int{301, 302, 303, 307, 308} {
			s := serve(t, reply{status: status, header: map[string]string{"Location": thief.URL + "/v1?secret=1"}})
			got, _, merr := attempt(t, provider(t, wire, model.Options{BaseURL: s.URL}), request())
			if diff := cmp.Diff(outcome{Kind: writ.ModelInvalid, Status: status}, got); diff != "" {
				t.Errorf("%d (-want +got):\n%s", status, diff)
			}
			if merr != nil && (!strings.Contains(merr.Msg, thief.URL) || strings.Contains(merr.Msg, "secret")) {
				t.Errorf("%d: message %q does not name the host alone", status, merr.Msg)
			}
		}
		select {
		case h := <-stolen:
			t.Errorf("a redirect was followed to another host with headers %v", h)
		default:
		}
		near := serve(t, reply{status: 307, header: map[string]string{"Location": "/moved"}}, answers(wire, "ok"))
		if got, _, merr := attempt(t, provider(t, wire, model.Options{BaseURL: near.URL}), request()); got.Text != "ok" {
			t.Errorf("a redirect within the host: %+v %v", got, merr)
		}
	})
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	bothWires(t, func(t *testing.T, wire wireName) {
		got, _, merr := attempt(t, provider(t, wire, model.Options{BaseURL: closed.URL}), request())
		if got.Kind != writ.ModelTransport || !strings.Contains(merr.Msg, "refused") || merr.Partial != nil {
			t.Errorf("got %+v %v, want a transport error that says refused, and nothing to pay for", got, merr)
		}
	})
	t.Run("certificate", func(t *testing.T) {
		t.Parallel()
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		defer s.Close()
		got, _, merr := attempt(t, provider(t, chat, model.Options{BaseURL: s.URL}), request())
		if got.Kind != writ.ModelInvalid || !strings.Contains(merr.Msg, "certificate") {
			t.Errorf("got %+v %v, want an invalid error about the certificate", got, merr)
		}
	})
}

func TestPartialIsPaidFor(t *testing.T) {
	t.Parallel()
	bothWires(t, func(t *testing.T, wire wireName) {
		s := serve(t, begins(wire, strings.Repeat("half a thought ", 20)).ends(reset))
		_, _, merr := attempt(t, provider(t, wire, model.Options{BaseURL: s.URL}), request())
		if merr == nil || merr.Partial == nil {
			t.Fatal("no partial answer")
		}
		u := merr.Partial.Usage
		if u.Source != writ.UsageEstimated || u.Input < 5 || u.Output < 40 || merr.Partial.Text == "" {
			t.Errorf("partial %+v, want its text and an estimate of both", merr.Partial)
		}
	})
}

func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	// Numbered lines do not repeat, so only the limit ends them.
	counting := make([]string, 40_000)
	for i := range counting {
		counting[i] = fmt.Sprintf("line %d of many\\n", i)
	}
	looping := make([]string, 4000)
	for i := range looping {
		looping[i] = "and once more the bell rings "
	}
	for _, tt := range []struct {
		name   string
		pieces []string
		max    int
		msg    string
	}{
		{"in circles", looping, 0, "repeats itself"},
		{"beyond the limit", counting, 1000, "limit was 1000 tokens"},
	} {
		bothWires(t, func(t *testing.T, wire wireName) {
			rep := begins(wire, "It begins.")
			for _, p := range tt.pieces {
				if wire == chat {
					rep.pieces = append(rep.pieces, `data: {"choices":[{"delta":{"content":"`+p+`"}}]}`+"\n\n")
				} else {
					rep.pieces = append(rep.pieces, `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`+p+`"}}`+"\n\n")
				}
			}
			rep.pieces = []string{strings.Join(rep.pieces, "")}
			s := serve(t, rep.ends(hang))
			req := request()
			req.MaxTokens = tt.max
			got, _, merr := attempt(t, provider(t, wire, model.Options{BaseURL: s.URL}), req)
			if got.Kind != writ.ModelProtocol || !strings.Contains(merr.Msg, tt.msg) {
				t.Errorf("%s: got %+v %v", tt.name, got, merr)
			}
			if merr != nil && merr.Partial.Usage.Output == 0 {
				t.Error("its tokens were not counted")
			}
		})
	}
}

func TestPromptCutByTheServer(t *testing.T) {
	t.Parallel()
	report := func(wire wireName, in int, ollama bool) reply {
		if wire == messages {
			return events(ev(fmt.Sprintf(`{"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":%d,"output_tokens":1}}}`, in)), textBlock(0, "ok"), stopped("end_turn"))
		}
		print := ""
		if ollama {
			print = `"system_fingerprint":"fp_ollama",`
		}
		return events(data(`{`+print+`"choices":[{"delta":{"content":"ok"}}]}`), finish("stop"), usage(in, 1), done)
	}
	for _, tt := range []struct {
		name     string
		words    int // of the prompt, about a token each
		reported int
		ollama   bool
		cut      bool
	}{
		{"whole", 20_000, 19_000, false, false},
		{"cut at 4096", 20_000, 4096, false, true},
		{"cut at 2048", 20_000, 2048, false, true},
		{"only what the cache lacked", 20_000, 300, false, false},
		{"small prompts prove nothing", 3000, 1024, false, false},
		{"Ollama says its name", 6000, 2048, true, true},
		{"a tokenizer of its own", 20_000, 11_000, false, false},
	} {
		bothWires(t, func(t *testing.T, wire wireName) {
			if wire == messages && tt.ollama {
				t.Skip("only chat completions have a fingerprint")
			}
			s := serve(t, report(wire, tt.reported, tt.ollama))
			req := request()
			req.Messages[1].Content = strings.Repeat("word ", tt.words)
			got, _, merr := attempt(t, provider(t, wire, model.Options{BaseURL: s.URL}), req)
			if !tt.cut {
				if got.Text != "ok" {
					t.Errorf("%s: got %+v %v, want the answer", tt.name, got, merr)
				}
				return
			}
			if got.Kind != writ.ModelTruncated || !errors.Is(merr, model.ErrPromptCut) || !strings.Contains(merr.Msg, "num_ctx") || !strings.Contains(merr.Msg, fmt.Sprint(tt.reported)) {
				t.Errorf("%s: got %+v %v, want a truncated error that names the fix", tt.name, got, merr)
			}
			if merr != nil && merr.Partial.Usage.Input != int64(tt.reported) {
				t.Errorf("%s: usage %+v, want the reported one", tt.name, merr.Partial.Usage)
			}
		})
	}
}
