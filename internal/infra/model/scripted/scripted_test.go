package scripted_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model/scripted"
	"github.com/writ-dev/writ/writtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	writtest.TestProvider(t, func(t *testing.T, s writtest.ProviderScript) writ.Provider {
		turn := scripted.Turn{Text: s.Text, Reasoning: s.Reasoning, Stop: s.Stop, Stall: s.Hang, Repeat: true}
		for _, c := range s.Calls {
			turn.Calls = append(turn.Calls, scripted.Call{Name: c.Name, Args: c.Args})
		}
		if s.Usage != nil {
			turn.Usage = &scripted.Usage{Input: s.Usage.Input, Cached: s.Usage.CacheRead, Output: s.Usage.Output}
		}
		switch {
		case s.Cut:
			turn.Fail = writ.ModelTransport
		case s.Refuse:
			turn.Fail = writ.ModelRate
		}
		return open(t, scripted.Script{Agents: map[string][]scripted.Turn{"*": {turn}}})
	})
}

func open(t *testing.T, s scripted.Script) *scripted.Provider {
	t.Helper()
	p, err := scripted.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ask plays one turn and returns its text, or its error's.
func ask(t *testing.T, p *scripted.Provider, agent string) string {
	t.Helper()
	for ev, err := range p.Stream(t.Context(), &writ.Request{Agent: agent}) {
		if err != nil {
			return "error: " + err.Error()
		}
		if ev.Done != nil {
			if ev.Done.Model != scripted.Name {
				t.Errorf("the answer says it is from %q", ev.Done.Model)
			}
			return ev.Done.Text
		}
	}
	t.Fatal("no terminal item")
	return ""
}

func TestTurnsGoInOrder(t *testing.T) {
	t.Parallel()
	p := open(t, scripted.Script{Agents: map[string][]scripted.Turn{
		"coder":   {{Text: "one"}, {Text: "two"}},
		"planner": {{Text: "plan"}, {Text: "again", Repeat: true}},
		"*":       {{Text: "anyone"}},
	}})
	var got []string
	for _, agent := range []string{"coder", "planner", "coder", "planner", "planner", "coder", "qa", "qa"} {
		got = append(got, ask(t, p, agent))
	}
	want := []string{"one", "plan", "two", "again", "again", `error: invalid: the script has no turn left for "coder"`, "anyone", `error: invalid: the script has no turn left for "qa"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{}, p.Left()); diff != "" {
		t.Errorf("turns left (-want +got):\n%s", diff)
	}
}

func TestLeft(t *testing.T) {
	t.Parallel()
	p := open(t, scripted.Script{Agents: map[string][]scripted.Turn{"coder": {{Text: "one"}, {Text: "two"}, {Text: "for ever", Repeat: true}}}})
	ask(t, p, "coder")
	if diff := cmp.Diff(map[string]int{"coder": 1}, p.Left()); diff != "" {
		t.Errorf("turns left (-want +got):\n%s", diff)
	}
}

func TestDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := open(t, scripted.Script{Agents: map[string][]scripted.Turn{"*": {{Text: "late", DelayMS: 1500}}}})
		begin := time.Now()
		if got := ask(t, p, "coder"); got != "late" || time.Since(begin) != 1500*time.Millisecond {
			t.Errorf("%q after %s", got, time.Since(begin))
		}
	})
}

func TestABadCallIsRejectedAsFromAnyServer(t *testing.T) {
	t.Parallel()
	p := open(t, scripted.Script{Agents: map[string][]scripted.Turn{"*": {{Calls: []scripted.Call{{Name: "write_file", Args: json.RawMessage(`{"path":"a","path":"b"}`)}}}}}})
	for ev, err := range p.Stream(t.Context(), &writ.Request{}) {
		if err != nil || ev.Done == nil || len(ev.Done.Calls) != 0 || len(ev.Done.Rejected) != 1 {
			t.Errorf("got %+v, %v", ev.Done, err)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, err string }{
		{"good", `{"agents":{"coder":[{"text":"hi","calls":[{"name":"f","args":{"a":1}}],"stop":"length","usage":{"input":1,"output":2},"repeat":true}]}}`, ""},
		{"empty", `{}`, ""},
		{"not JSON", `agents:`, "invalid character"},
		{"unknown field", `{"agents":{"coder":[{"txt":"hi"}]}}`, "txt"},
		{"two objects", `{}{}`, "follows"},
		{"unknown stop", `{"agents":{"coder":[{"stop":"lunch"}]}}`, "lunch"},
		{"unknown failure", `{"agents":{"coder":[{"fail":"lunch"}]}}`, "lunch"},
		{"negative delay", `{"agents":{"coder":[{"delay_ms":-1}]}}`, "coder, turn 1: delay_ms"},
		{"a turn behind one that repeats", `{"agents":{"coder":[{"repeat":true},{}]}}`, "only the last"},
		{"a call without a name", `{"agents":{"coder":[{"calls":[{}]}]}}`, "no name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := scripted.Parse([]byte(tt.in))
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
		})
	}
	if _, err := scripted.New(scripted.Script{Agents: map[string][]scripted.Turn{"x": {{DelayMS: -1}}}}); err == nil {
		t.Error("a bad script was taken")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"agents":{"coder":[{"text":"<think>a</think>b","calls":[{"name":"f","args":{}}]}]}}`))
	f.Add([]byte(`{"agents":{"*":[{"fail":"rate"}]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := scripted.Parse(raw)
		if err != nil {
			return
		}
		for agent, turns := range s.Agents {
			for _, turn := range turns {
				if turn.Stall || turn.DelayMS > 0 {
					return
				}
			}
			ends := 0
			for ev, err := range open(t, s).Stream(t.Context(), &writ.Request{Agent: agent}) {
				var merr *writ.ModelError
				if err != nil && !errors.As(err, &merr) {
					t.Fatal(err)
				}
				if err != nil || ev.Done != nil {
					ends++
				}
			}
			if ends != 1 {
				t.Fatalf("%d terminal items", ends)
			}
		}
	})
}
