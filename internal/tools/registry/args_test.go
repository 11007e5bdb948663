package registry_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/registry"
)

const editSchema = `{"type":"object","properties":{
	"path":{"type":"string"},
	"limit":{"type":"integer"},
	"ratio":{"type":"number"},
	"all":{"type":"boolean"},
	"size":{"type":"string","enum":["small","normal"]},
	"maybe":{"type":["string","null"]},
	"loose":{"type":["string","array"],"items":{"type":"string"}},
	"node":{"$ref":"#/$defs/node"},
	"short":{"type":"string","maxLength":3},
	"few":{"type":"array","items":{"type":"string","minLength":1},"maxItems":2},
	"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"},"n":{"type":"integer"}},"required":["old"],"additionalProperties":false}}
},"required":["path"],"additionalProperties":false,
"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"},"v":{"type":"integer"}},"additionalProperties":false}}}`

func argsRegistry(t *testing.T) (*registry.Registry, registry.Role) {
	t.Helper()
	s := spec("edit")
	s.Schema = json.RawMessage(editSchema)
	return newRegistry(t, fake{spec: s}), registry.Role{Agent: "coder", Allowed: []string{"edit"}}
}

func TestArgumentsAreTakenForWhatTheyMean(t *testing.T) {
	t.Parallel()
	r, role := argsRegistry(t)
	for name, tc := range map[string]struct{ args, want string }{
		"as the schema says":               {`{"path":"a","limit":3}`, `{"limit":3,"path":"a"}`},
		"UP-089/a number as text":          {`{"path":"a","limit":"12"}`, `{"limit":12,"path":"a"}`},
		"UP-089/a fraction as text":        {`{"path":"a","ratio":" 0.5 "}`, `{"path":"a","ratio":0.5}`},
		"UP-089/a boolean as text":         {`{"path":"a","all":"True"}`, `{"all":true,"path":"a"}`},
		"UP-089/edits as text":             {`{"path":"a","edits":"[{\"old\":\"x\",\"n\":\"3\"}]"}`, `{"edits":[{"n":3,"old":"x"}],"path":"a"}`},
		"UP-089/an item as text":           {`{"path":"a","edits":["{\"old\":\"x\"}"]}`, `{"edits":[{"old":"x"}],"path":"a"}`},
		"UP-089/null for an optional one":  {`{"path":"a","limit":null,"edits":null}`, `{"path":"a"}`},
		"null where the schema takes it":   {`{"path":"a","maybe":null}`, `{"maybe":null,"path":"a"}`},
		"a whole number as a fraction":     {`{"path":"a","limit":3.0}`, `{"limit":3,"path":"a"}`},
		"a whole number with an exponent":  {`{"path":"a","limit":1e3}`, `{"limit":1000,"path":"a"}`},
		"a large number exactly":           {`{"path":"a","limit":9007199254740993}`, `{"limit":9007199254740993,"path":"a"}`},
		"text that looks like a number":    {`{"path":"12"}`, `{"path":"12"}`},
		"text that looks like a list":      {`{"path":"[1]","loose":"[\"a\"]"}`, `{"loose":"[\"a\"]","path":"[1]"}`},
		"through references":               {`{"path":"a","node":{"next":{"v":"1"}}}`, `{"node":{"next":{"v":1}},"path":"a"}`},
		"an escaped pair is one character": {`{"path":"\ud83d\ude00"}`, `{"path":"😀"}`},
		"an escaped backslash before u":    {`{"path":"\\ud83d"}`, `{"path":"\\ud83d"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, refused := call(t, r, role, "edit", tc.args)
			if refused != nil {
				t.Fatal(refused)
			}
			if diff := cmp.Diff(tc.want, res.Args); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArgumentsAreRefusedByName(t *testing.T) {
	t.Parallel()
	r, role := argsRegistry(t)
	for name, tc := range map[string]struct {
		args string
		code writ.Code
		says []string
	}{
		"UP-089/null for a required one": {`{"path":null}`, "", []string{"path: want a string, got null"}},
		"UP-089/a list for a text":       {`{"path":["a"]}`, "", []string{"path: want a string, got an array"}},
		"UP-089/a number for a text":     {`{"path":7}`, "", []string{"path: want a string, got a number"}},
		"UP-089/an unknown field":        {`{"path":"a","shade":"blue"}`, "", []string{"shade: no such argument", "path"}},
		"UP-089/an unknown field inside": {`{"path":"a","edits":[{"old":"x","olb":"y"}]}`, "", []string{"edits[0].olb: no such argument", "n, old"}},
		"UP-089/text that is no number":  {`{"path":"a","limit":"12 lines"}`, "", []string{"limit: want an integer, got a string"}},
		"UP-089/a fraction":              {`{"path":"a","limit":1.5}`, "", []string{"limit: want an integer, got a number"}},
		"UP-089/a fraction as text":      {`{"path":"a","limit":"1.5"}`, "", []string{"limit: want an integer"}},
		"UP-089/0x10":                    {`{"path":"a","limit":"0x10"}`, "", []string{"limit: want an integer"}},
		"UP-089/yes":                     {`{"path":"a","all":"yes"}`, "", []string{"all: want a boolean, got a string"}},
		"UP-089/1 for true":              {`{"path":"a","all":1}`, "", []string{"all: want a boolean, got a number"}},
		"UP-089/edits as broken text":    {`{"path":"a","edits":"[{\"old\":"}`, "", []string{"edits: want an array, got a string"}},
		"UP-089/edits with a key twice":  {`{"path":"a","edits":"[{\"old\":\"a\",\"old\":\"b\"}]"}`, "", []string{"edits: want an array"}},
		"UP-089/one edit for a list":     {`{"path":"a","edits":{"old":"x"}}`, "", []string{"edits: want an array, got an object"}},
		"missing":                        {`{}`, "", []string{"path: is missing, want a string"}},
		"missing inside":                 {`{"path":"a","edits":[{"old":"a"},{}]}`, "", []string{"edits[1].old: is missing"}},
		"nothing":                        {``, "", []string{"path: is missing"}},
		"several at once":                {`{"limit":"x","all":3}`, "", []string{"path: is missing", "limit: ", "all: "}},
		"not in the list":                {`{"path":"a","size":"huge"}`, "", []string{`size: want one of "small", "normal", got "huge"`}},
		"too long":                       {`{"path":"a","short":"abcd"}`, "", []string{"short: maxLength"}},
		"too many":                       {`{"path":"a","few":["a","b","c"]}`, "", []string{"few: maxItems"}},
		"too short inside":               {`{"path":"a","few":[""]}`, "", []string{"few[]: minLength"}},
		"no object":                      {`["a"]`, "", []string{"one JSON object, got an array"}},
		"no JSON":                        {`{"path":"a"`, "", []string{"not valid JSON"}},
		"two values":                     {`{"path":"a"}{}`, "", []string{"not valid JSON"}},
		"a key twice":                    {`{"path":"a","path":"b"}`, "", []string{"path: the key stands twice"}},
		"a key twice, escaped":           {`{"path":"a","p\u0061th":"b"}`, "", []string{"path: the key stands twice"}},
		"a key twice, deep":              {`{"path":"a","edits":[{"old":"a"},{"old":"b","old":"c"}]}`, "", []string{"edits[1].old: the key stands twice"}},
		"not UTF-8":                      {"{\"path\":\"\xff\"}", "", []string{"UTF-8"}},
		"half a pair":                    {`{"path":"\ud83d"}`, "", []string{"surrogate"}},
		"the wrong half":                 {`{"path":"\ude00\ud83d"}`, "", []string{"surrogate"}},
		"half a pair in a key":           {`{"path":"a","\ud800":1}`, "", []string{"surrogate"}},
		"too deep":                       {`{"path":"a","node":` + strings.Repeat(`{"next":`, 70) + `{}` + strings.Repeat(`}`, 70) + `}`, "", []string{"nested deeper"}},
		"very deep":                      {strings.Repeat(`[`, 1_000_000), "", []string{"not valid JSON"}},
		"too large":                      {`{"path":"` + strings.Repeat("x", registry.MaxArgsBytes) + `"}`, writ.CodeTooLarge, []string{"limit"}},
		"a number out of range":          {`{"path":"a","ratio":1e999}`, "", []string{"out of range"}},
		"an absurd exponent":             {`{"path":"a","ratio":1e999999999}`, "", []string{"out of range"}},
		"an integer out of range":        {`{"path":"a","limit":99999999999999999999}`, "", []string{"limit: want an integer"}},
		"an escape in a key":             {"{\"path\":\"a\",\"\\u001b[2J\":1}", "", []string{`\x1b`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.code == "" {
				tc.code = writ.CodeSchemaInvalid
			}
			res, refused := call(t, r, role, "edit", tc.args)
			if refused == nil || refused.Code != tc.code {
				t.Fatalf("refusal = %v, want %s", refused, tc.code)
			}
			for _, want := range tc.says {
				if !strings.Contains(res.Error.Message, want) {
					t.Errorf("the message does not say %q: %s", want, res.Error.Message)
				}
			}
			if len(res.Error.Message) > 2000 || strings.Contains(res.Error.Message, "\x1b") {
				t.Errorf("the message is not fit to be shown: %.200q", res.Error.Message)
			}
		})
	}
}

// Whatever a model sends is either refused as its own fault or reaches the
// tool as arguments that the schema takes unchanged.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"path":"a","limit":"12"}`, `{"path":"a","edits":"[{\"old\":\"x\"}]"}`, `{"path":null}`, `null`, ``, `[]`,
		`{"path":"a","path":"b"}`, `{"path":"\ud800"}`, `{"path":"a","limit":1e3,"ratio":-0.0}`, `{"path":"a","node":{"next":{}}}`,
		"{\"path\":\"\\u0000\"}", `{"path":"a","edits":"{}"}`,
	} {
		f.Add(seed)
	}
	s := spec("edit")
	s.Schema = json.RawMessage(editSchema)
	f.Fuzz(func(t *testing.T, args string) {
		r := registry.New(registry.Options{})
		if err := r.Register(fake{spec: s}); err != nil {
			t.Fatal(err)
		}
		role := registry.Role{Agent: "coder", Allowed: []string{"edit"}}
		res, refused := call(t, r, role, "edit", args)
		if refused != nil {
			if refused.Code != writ.CodeSchemaInvalid && refused.Code != writ.CodeTooLarge {
				t.Fatalf("refused as %s: %v", refused.Code, refused)
			}
			return
		}
		again, refused := call(t, r, role, "edit", res.Args)
		if refused != nil || again.Args != res.Args {
			t.Fatalf("%s became %s, and that %s, %v", args, res.Args, again.Args, refused)
		}
	})
}
