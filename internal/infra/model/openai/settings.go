package openai

import (
	"errors"
	"strings"
	"sync"

	"github.com/writ-dev/writ"
)

// setting is an optional part of a request that some servers refuse.
type setting string

const (
	temperature   setting = "temperature"
	maxTokens     setting = "max_tokens" // refused: max_completion_tokens instead
	streamOptions setting = "stream_options"
	cacheKey      setting = "prompt_cache_key"
)

// settings remembers, for each model, what its server refused.
type settings struct {
	mu      sync.Mutex
	refused map[string]map[setting]bool
}

func newSettings() *settings { return &settings{refused: map[string]map[setting]bool{}} }

// allowed reports whether a setting may be sent.
func (s *settings) allowed(model string, name setting) bool {
	if (name == temperature || name == maxTokens) && fixedSampling(model) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.refused[model][name]
}

// fixedSampling names OpenAI's reasoning models, which refuse both settings.
func fixedSampling(model string) bool {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	if len(name) >= 2 && name[0] == 'o' && name[1] >= '1' && name[1] <= '9' {
		return true
	}
	version, ok := strings.CutPrefix(name, "gpt-")
	return ok && version != "" && version[0] >= '5' && version[0] <= '9'
}

// learn looks at the error of an attempt. Where the server refused one of the
// settings that were sent, the same request without it may succeed, so the
// error becomes one that is tried again.
func (s *settings) learn(model string, sent []setting, err error) error {
	var merr *writ.ModelError
	if err == nil || !errors.As(err, &merr) || merr.Kind != writ.ModelInvalid || merr.Status < 400 || merr.Status > 499 {
		return err
	}
	msg := strings.ToLower(merr.Msg)
	for _, name := range sent {
		if !strings.Contains(msg, string(name)) || !refusal(msg) {
			continue
		}
		s.mu.Lock()
		if s.refused[model] == nil {
			s.refused[model] = map[setting]bool{}
		}
		s.refused[model][name] = true
		s.mu.Unlock()
		again := *merr
		again.Kind = writ.ModelProtocol
		again.Msg = "the server refuses the setting " + string(name) + ", which is left out from now on: " + merr.Msg
		return &again
	}
	return err
}

func refusal(msg string) bool {
	for _, word := range []string{"unsupported", "not support", "unknown", "unrecognized", "deprecated", "not permitted", "unexpected", "extra inputs", "not allowed"} {
		if strings.Contains(msg, word) {
			return true
		}
	}
	return false
}
