package answer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model/count"
)

func TestArguments(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 99) + "1" + strings.Repeat("}", 99)
	for _, tt := range []struct {
		name, raw, args, why string
	}{
		{"object", `{"a": 1}`, `{"a": 1}`, ""},
		{"blanks around", " \n{}\t", "{}", ""},
		{"nothing", "", "{}", ""},
		{"the same key in two objects", `{"a":{"x":1},"b":{"x":1}}`, `{"a":{"x":1},"b":{"x":1}}`, ""},
		{"the same text as key and value", `{"a":"a","b":["a","a"]}`, `{"a":"a","b":["a","a"]}`, ""},
		{"keys that differ in case", `{"a":1,"A":2}`, `{"a":1,"A":2}`, ""},
		{"large numbers stay", `{"a":12345678901234567890.10}`, `{"a":12345678901234567890.10}`, ""},
		{"99 levels", deep, deep, ""},
		{"whole surrogates", `{"a":"\ud83d\ude00 \\ud800"}`, `{"a":"\ud83d\ude00 \\ud800"}`, ""},
		{"cut", `{"a": "b`, "", "malformed"},
		{"cut after a comma", `{"a":1,`, "", "malformed"},
		{"single quotes", `{'a': 1}`, "", "malformed"},
		{"a trailing comma", `{"a":1,}`, "", "malformed"},
		{"a comment", `{"a":1 /* x */}`, "", "malformed"},
		{"list", `[1]`, "", "not a JSON object"},
		{"string", `"{}"`, "", "not a JSON object"},
		{"null", `null`, "", "not a JSON object"},
		{"text", `sure, here`, "", "not a JSON object"},
		{"a fence", "```json\n{}\n```", "", "not a JSON object"},
		{"two objects", `{}{}`, "", "go on after"},
		{"a word behind", `{} done`, "", "go on after"},
		{"a key twice", `{"path":"a","path":"b"}`, "", `"path" twice`},
		{"a key twice, escaped", `{"path":"a","p\u0061th":"b"}`, "", `"path" twice`},
		{"a key twice, deep", `{"edits":[{"old":"a","old":"b"}]}`, "", `"old" twice`},
		{"a key twice behind an object", `{"a":{},"a":1}`, "", `"a" twice`},
		{"a key twice behind a list", `{"a":[[]],"a":1}`, "", `"a" twice`},
		{"bad UTF-8", "{\"a\":\"\xff\"}", "", "UTF-8"},
		{"half a surrogate", `{"a":"\ud83d x"}`, "", "surrogate"},
		{"the other half", `{"a":"\ude00"}`, "", "surrogate"},
		{"two first halves", `{"a":"\ud83d\ud83d"}`, "", "surrogate"},
		{"very deep", strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000), "", "deep"},
		{"very deep lists", `{"a":` + strings.Repeat("[", 200_000), "", "deep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args, why := Arguments(tt.raw)
			if string(args) != tt.args || (why == "") != (tt.why == "") || !strings.Contains(why, tt.why) {
				t.Errorf("got %s, %q; want %s and %q", args, why, tt.args, tt.why)
			}
		})
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"a":[{"b":null}]}`, `{"a":1,"a":2}`, `{"a":"\ud800"}`, `[`, `{"a":{}} x`, "{\"\xff\":1}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		args, why := Arguments(raw)
		if (args == nil) == (why == "") {
			t.Fatalf("args %s and reason %q", args, why)
		}
		if args == nil {
			return
		}
		var object map[string]json.RawMessage
		if !utf8.Valid(args) || json.Unmarshal(args, &object) != nil || object == nil {
			t.Fatalf("%q was taken for an object", raw)
		}
		if s := strings.TrimSpace(raw); s != "" && s != string(args) {
			t.Fatalf("arguments were changed from %q to %q", s, args)
		}
	})
}

// play feeds a text in pieces and returns what is text and what is reasoning,
// as it was streamed.
func play(t *testing.T, pieces ...string) (text, thought string, resp *writ.Response) {
	t.Helper()
	b := New(&writ.Request{})
	take := func(events []writ.ModelEvent) {
		for _, e := range events {
			text += e.Text
			thought += e.Reasoning
		}
	}
	for _, p := range pieces {
		events, err := b.Text(p)
		if err != nil {
			t.Fatal(err)
		}
		take(events)
	}
	take(b.Flush())
	return text, thought, b.Response(writ.StopEnd)
}

func TestThinkBlocks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, text, thought string
	}{
		{"none", "plain", "plain", ""},
		{"leading", "<think>a</think>b", "b", "a"},
		{"the longer tag", "<thinking>a</thinking>b", "b", "a"},
		{"blanks after it", "<think>\na\n</think>\n\n b", "b", "\na\n"},
		{"blanks before it", " \n<think>a</think>b", "b", "a"},
		{"on a later line", "x\n  <think>a</think>\ny", "x\n  y", "a"},
		{"two", "<think>a</think>x\n<think>b</think>y", "x\ny", "ab"},
		{"never closed", "<think>a", "", "a"},
		{"never closed, half a tag", "<think>a</thi", "", "a</thi"},
		{"half a tag at the end", "x\n<thin", "x\n<thin", ""},
		{"another tag", "<thinker>a", "<thinker>a", ""},
		{"inside a line", "use <think> here", "use <think> here", ""},
		{"inside a string", `{"content":"<think>a</think>"}`, `{"content":"<think>a</think>"}`, ""},
		{"a decoy in it", "<think>{\"evil\":1}</think>{\"good\":1}", `{"good":1}`, `{"evil":1}`},
		{"tags in it", "<think>a <think> b</think>c", "c", "a <think> b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, pieces := range map[string][]string{"whole": {tt.in}, "byte by byte": strings.Split(tt.in, "")} {
				text, thought, resp := play(t, pieces...)
				if text != resp.Text || thought != resp.Reasoning {
					t.Errorf("%s: streamed %q and %q, and the response has %q and %q", name, text, thought, resp.Text, resp.Reasoning)
				}
				if text != tt.text && strings.TrimSpace(text) != tt.text || thought != tt.thought {
					t.Errorf("%s: text %q, reasoning %q; want %q and %q", name, text, thought, tt.text, tt.thought)
				}
			}
		})
	}
}

func TestOnlyAClosingTag(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, text, thought string }{
		{"on a line of its own", "I see.\n</think>\n\nDone.", "Done.", "I see.\n"},
		{"inside a line", "Close it with </think> then.", "Close it with </think> then.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, _, resp := play(t, tt.in); resp.Text != tt.text || resp.Reasoning != tt.thought {
				t.Errorf("text %q, reasoning %q; want %q and %q", resp.Text, resp.Reasoning, tt.text, tt.thought)
			}
		})
	}
}

func FuzzThinkBlocks(f *testing.F) {
	for _, seed := range []string{"<think>a</think>b", "x\n<thinking>a</thinking>", "<<think>", "a<think>b\n</think", "\n \n<think>"} {
		f.Add(seed, 1)
	}
	f.Fuzz(func(t *testing.T, in string, size int) {
		if len(in) > 4096 || size < 1 {
			return
		}
		var pieces []string
		for rest := in; rest != ""; {
			n := min(size, len(rest))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		text, thought, _ := play(t, in)
		text2, thought2, _ := play(t, pieces...)
		// Blanks before a leading block are dropped only where they came with it.
		if strings.TrimLeft(text, " \t\r\n") != strings.TrimLeft(text2, " \t\r\n") || thought != thought2 {
			t.Fatalf("whole %q|%q, in pieces %q|%q", text, thought, text2, thought2)
		}
		if len(text)+len(thought) > len(in) {
			t.Fatalf("%q grew to %q and %q", in, text, thought)
		}
	})
}

func TestBuilderBounds(t *testing.T) {
	t.Parallel()
	t.Run("text", func(t *testing.T) {
		t.Parallel()
		b := New(&writ.Request{})
		var err error
		for range 20 {
			if _, err = b.Text(strings.Repeat("x", 1<<20)); err != nil {
				break
			}
		}
		if !errors.Is(err, ErrEndless) || b.text.Len() > maxText {
			t.Errorf("error %v after %d bytes", err, b.text.Len())
		}
	})
	t.Run("arguments", func(t *testing.T) {
		t.Parallel()
		b := New(&writ.Request{})
		c, err := b.Open("x", "write_file")
		for i := 0; i < 20 && err == nil; i++ {
			err = b.Append(c, strings.Repeat("x", 1<<20))
		}
		if !errors.Is(err, ErrEndless) || len(c.Args()) > maxArgs {
			t.Errorf("error %v after %d bytes", err, len(c.Args()))
		}
	})
	t.Run("calls", func(t *testing.T) {
		t.Parallel()
		b := New(&writ.Request{})
		var err error
		for i := 0; i < 1000 && err == nil; i++ {
			_, err = b.Open("", "f")
		}
		if !errors.Is(err, ErrEndless) || len(b.Calls()) > maxCalls {
			t.Errorf("error %v after %d calls", err, len(b.Calls()))
		}
	})
	t.Run("a rejected call shows little of itself", func(t *testing.T) {
		t.Parallel()
		b := New(&writ.Request{})
		c, _ := b.Open("x", "f")
		_ = b.Append(c, `{"content":"`+strings.Repeat("日", 4000))
		r := b.Response(writ.StopEnd).Rejected[0]
		if len(r.Raw) > maxRaw || !utf8.ValidString(r.Raw) {
			t.Errorf("%d bytes, valid %t", len(r.Raw), utf8.ValidString(r.Raw))
		}
	})
}

func TestRepetition(t *testing.T) {
	t.Parallel()
	rows := func(n int, row func(i int) string) []string {
		var out []string
		for i := range n {
			out = append(out, row(i))
		}
		return out
	}
	table := strings.Repeat("| a | b |\n", 5000)
	for _, tt := range []struct {
		name   string
		pieces []string
		loops  bool
	}{
		{"a sentence for ever", rows(5000, func(int) string { return "And then the bell rings. " }), true},
		{"one character for ever", rows(60_000, func(int) string { return "=" }), true},
		{"a paragraph for ever", rows(60_000/4, func(i int) string { return strings.Repeat("lorem ipsum dolor ", 60)[i*4%1000 : i*4%1000+4] }), true},
		{"a hundred times", rows(100, func(int) string { return "And then the bell rings. " }), false},
		{"numbered lines", rows(5000, func(i int) string { return "line " + strings.Repeat("i", i%97) + "\n" }), false},
		{"a long table in one piece", []string{table, "and this is its end"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := New(&writ.Request{})
			var err error
			for _, p := range tt.pieces {
				if _, err = b.Text(p); err != nil {
					break
				}
			}
			if errors.Is(err, ErrEndless) != tt.loops {
				t.Errorf("error %v, want one: %t", err, tt.loops)
			}
		})
	}
}

func TestPartialRunsNothing(t *testing.T) {
	t.Parallel()
	b := New(&writ.Request{})
	_, _ = b.Text("I write <")
	c, _ := b.Open("x", "write_file")
	_ = b.Append(c, `{"path":"a"}`)
	got := b.Partial()
	want := &writ.Response{Text: "I write <", Rejected: []writ.RejectedCall{{ID: "x", Name: "write_file", Raw: `{"path":"a"}`, Why: "the answer broke off, so nothing of this call was done"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("partial (-want +got):\n%s", diff)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	counter := count.New()
	req := &writ.Request{Messages: []writ.Message{{Content: strings.Repeat("word ", 100)}}}
	b := New(req)
	_, _ = b.Text("some words of an answer")
	_, _ = b.Reasoning("and a thought before them")
	est := b.Usage(nil, counter)
	if est.Source != writ.UsageEstimated || est.Input != counter.EstimateRequest(req) || est.Reasoning == 0 || est.Output <= est.Reasoning {
		t.Errorf("estimate %+v", est)
	}
	report := writ.ModelUsage{Input: 7, CacheRead: 3, Output: 2}
	want := report
	want.Source = writ.UsageReported
	if got := b.Usage(&report, counter); got != want {
		t.Errorf("reported usage %+v, want %+v", got, want)
	}
	if got := b.PartialUsage(&report, counter); got.Source != writ.UsageEstimated || got.Input != 7 || got.Output != est.Output {
		t.Errorf("usage of half an answer %+v, want the reported input and the larger output", got)
	}
}
