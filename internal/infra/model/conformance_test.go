package model_test

import (
	"fmt"
	"testing"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
	"github.com/writ-dev/writ/writtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for wire, say := range map[wireName]func(writtest.ProviderScript) reply{chat: inChat, messages: inMessages} {
		t.Run(string(wire), func(t *testing.T) {
			t.Parallel()
			writtest.TestProvider(t, func(t *testing.T, script writtest.ProviderScript) writ.Provider {
				rep := say(script)
				switch {
				case script.Refuse:
					rep = reply{status: 429, pieces: []string{"slow down"}}
				case script.Cut:
					rep = rep.ends(reset)
				case script.Hang:
					rep = rep.ends(hang)
				}
				return provider(t, wire, model.Options{BaseURL: serve(t, rep).URL})
			})
		})
	}
}

func inChat(s writtest.ProviderScript) reply {
	rep := events()
	add := func(p string) { rep.pieces = append(rep.pieces, p) }
	if s.Reasoning != "" {
		add(data(fmt.Sprintf(`{"choices":[{"delta":{"reasoning_content":%q}}]}`, s.Reasoning)))
	}
	half := len(s.Text) / 2
	for s.Text != "" && s.Text[half]&0xc0 == 0x80 {
		half-- // not inside a character
	}
	add(say(s.Text[:half]))
	if s.Cut || s.Hang {
		return rep
	}
	add(say(s.Text[half:]))
	for i, c := range s.Calls {
		add(fragments(fmt.Sprintf(`{"index":%d,"id":%q,"function":{"name":%q,"arguments":%q}}`, i, c.ID, c.Name, c.Args)))
	}
	reason := map[writ.StopReason]string{"": "stop", writ.StopTools: "tool_calls", writ.StopLength: "length"}[s.Stop]
	add(finish(reason))
	if s.Usage != nil {
		add(data(fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}`, s.Usage.Input, s.Usage.Output, s.Usage.CacheRead)))
	}
	add(done)
	return rep
}

func inMessages(s writtest.ProviderScript) reply {
	usage := "null"
	if s.Usage != nil {
		usage = fmt.Sprintf(`{"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":%d}`, s.Usage.Input-s.Usage.CacheRead, s.Usage.Output, s.Usage.CacheRead)
	}
	rep := events(ev(`{"type":"message_start","message":{"id":"m","model":"m","usage":` + usage + `}}`))
	add := func(p string) { rep.pieces = append(rep.pieces, p) }
	if s.Reasoning != "" {
		add(ev(fmt.Sprintf(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":%q}}`, s.Reasoning)))
		add(blockStop(0))
	}
	if s.Cut || s.Hang {
		add(ev(`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`))
		add(textDelta(1, s.Text[:len(s.Text)/2]))
		return rep
	}
	if s.Text != "" {
		add(ev(fmt.Sprintf(`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":%q}}`, s.Text)))
		add(blockStop(1))
	}
	for i, c := range s.Calls {
		add(toolBlock(2+i, c.ID, c.Name, string(c.Args)))
	}
	reason := map[writ.StopReason]string{"": "end_turn", writ.StopTools: "tool_use", writ.StopLength: "max_tokens"}[s.Stop]
	add(ev(fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q}}`, reason)))
	add(ev(`{"type":"message_stop"}`))
	return rep
}
