package answer

import (
	"fmt"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
	"github.com/writ-dev/writ/internal/infra/model/count"
)

// A prompt counts as cut where the server reports less than 40 % of what it
// must have been. The estimate is off by a third at worst, so below some
// thousand tokens nothing is claimed; a report of a few hundred for a large
// prompt is a server that counts only what its cache lacked. One that names
// itself as Ollama cuts prompts by default, so there less is enough.
const (
	cutPercent    = 40
	cutFrom       = 8000
	cutFromOllama = 2500
	cutReport     = 1000
	cutOllama     = 128
	// bytesPerToken is more than any text has on average. A report above the
	// prompt's bytes divided by it is believable whatever was estimated: long
	// runs of one letter and a slash are estimated far too high.
	bytesPerToken = 8
)

// PromptCut returns the error for a server that silently dropped a part of the
// prompt, or nil. ollama says that the server named itself so.
func PromptCut(req *writ.Request, u writ.ModelUsage, host string, ollama bool) *writ.ModelError {
	from, least := int64(cutFrom), int64(cutReport)
	if ollama {
		from, least = cutFromOllama, cutOllama
	}
	est := count.EstimateRequest(req)
	if u.Source != writ.UsageReported || est < from || u.Input < least || u.Input*100 >= est*cutPercent || u.Input >= promptBytes(req)/bytesPerToken {
		return nil
	}
	return &writ.ModelError{
		Kind: writ.ModelTruncated,
		Err:  model.ErrPromptCut,
		Msg: fmt.Sprintf("%s read only %d of about %d prompt tokens: its context window is too small and it dropped the rest; "+
			"with Ollama set OLLAMA_CONTEXT_LENGTH (num_ctx) to at least %d, elsewhere raise the server's context size",
			host, u.Input, est, windowFor(est)),
	}
}

// windowFor is the power of two that leaves room for an answer.
func windowFor(tokens int64) int64 {
	w := int64(8192)
	for w < tokens*3/2 && w < 1<<20 {
		w *= 2
	}
	return w
}

// promptBytes is the size of what the model was to read.
func promptBytes(req *writ.Request) int64 {
	n := 0
	for _, m := range req.Messages {
		n += len(m.Content)
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Args)
		}
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return int64(n)
}
