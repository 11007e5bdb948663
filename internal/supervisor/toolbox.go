package supervisor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/loop"
	"github.com/writ-dev/writ/internal/infra/store"
	"github.com/writ-dev/writ/internal/tools/registry"
)

// toolbox is the registry as one task sees it: each result is redacted and
// journaled, and a journaled one is replayed, so that a repeated phase does
// nothing twice.
type toolbox struct {
	run   *run
	inner *registry.Registry
}

var _ loop.Tools = (*toolbox)(nil)

// ModelTools lists the named tools as a model sees them.
func (b *toolbox) ModelTools(names []string) []writ.ModelTool { return b.inner.ModelTools(names) }

// outcome is what the journal keeps of a tool call.
type outcome struct {
	Result json.RawMessage   `json:"result"`
	Code   writ.Code         `json:"code,omitempty"`
	Path   string            `json:"path,omitempty"`
	Msg    string            `json:"msg,omitempty"`
	Shown  map[string]string `json:"shown,omitempty"` // files that the call showed to the agent
}

// Call runs one tool call, or replays it.
func (b *toolbox) Call(ctx context.Context, role registry.Role, in writ.Invocation) ([]byte, *writ.Error, error) {
	r := b.run
	key := fmt.Sprintf("tool/%s/%s/%d/%s", in.Agent, in.Step, r.task.Work.Round, in.CallID)
	sha := hashText(in.Tool + "\x00" + string(in.Args))
	known, err := r.ledger.Lookup(ctx, key)
	if err != nil {
		return nil, nil, fmt.Errorf("look into the journal: %w", err)
	}
	if known != nil && known.RequestSHA == sha {
		return replay(known, in.Workspace)
	}
	if refused := redactionMark(in); refused != nil {
		return refused.result(), refused.err, nil
	}
	seen := &shownRecorder{Workspace: in.Workspace}
	in.Workspace = seen
	result, refusal, err := b.inner.Call(ctx, role, in)
	if err != nil {
		return nil, nil, err
	}
	result = r.s.d.Redact.Bytes(result)
	o := outcome{Result: result, Shown: seen.shown}
	if refusal != nil {
		o.Code, o.Path, o.Msg = refusal.Code, refusal.Path, refusal.Msg
	}
	body, err := json.Marshal(o)
	if err != nil {
		return nil, nil, fmt.Errorf("encode the result of %s: %w", in.Tool, err)
	}
	r.ledger.Record(store.Call{
		TaskID: r.task.ID, Key: key, Kind: "tool", Agent: in.Agent, Step: in.Step, RequestSHA: sha,
		Response: body, At: r.s.d.Now(),
	})
	return result, refusal, nil
}

func replay(known *store.Call, ws writ.Workspace) ([]byte, *writ.Error, error) {
	var o outcome
	if err := json.Unmarshal(known.Response, &o); err != nil {
		return nil, nil, fmt.Errorf("replay %s: %w", known.Key, err)
	}
	for path, sha := range o.Shown {
		ws.MarkShown(path, sha)
	}
	if o.Code == "" {
		return o.Result, nil, nil
	}
	return o.Result, &writ.Error{Code: o.Code, Path: o.Path, Msg: o.Msg}, nil
}

// shownRecorder notes which files a call showed, so that a replay can show
// them again.
type shownRecorder struct {
	writ.Workspace
	mu    sync.Mutex
	shown map[string]string
}

// MarkShown notes the file and passes it on.
func (s *shownRecorder) MarkShown(path, sha string) {
	s.mu.Lock()
	if s.shown == nil {
		s.shown = make(map[string]string)
	}
	s.shown[path] = sha
	s.mu.Unlock()
	s.Workspace.MarkShown(path, sha)
}

// refusedCall is a refusal made before the registry is asked.
type refusedCall struct{ err *writ.Error }

func (c *refusedCall) result() []byte {
	body, err := json.Marshal(writ.ToolResult{Error: &writ.ToolError{Code: c.err.Code, Message: c.err.Error() + ": " + c.err.Advice()}})
	if err != nil {
		return []byte(`{"ok":false}`)
	}
	return body
}

// redactionMark refuses content in which a secret was replaced: written back,
// it would destroy the secret in the file.
func redactionMark(in writ.Invocation) *refusedCall {
	if in.Tool != "write_file" || !bytes.Contains(in.Args, []byte("[redacted:")) {
		return nil
	}
	return &refusedCall{&writ.Error{
		Code: writ.CodeSchemaInvalid, Msg: "the content holds a mark that stands for a hidden secret",
		Hint: "change the other lines with edit_file and leave that one alone",
	}}
}

// recorder takes what the loop reports about an agent's run.
type recorder struct{ run *run }

var _ loop.Recorder = (*recorder)(nil)

// Emit records an event.
func (c *recorder) Emit(typ writ.EventType, agent string, data any) { c.run.emit(typ, agent, data) }

// Deny records a refused act and counts it for the step that runs.
func (c *recorder) Deny(d writ.Denial) {
	r := c.run
	r.deny(d, writ.Lookup(d.Code).Hint)
	spec, ok := r.s.d.Tools.Spec(d.Tool)
	if d.Code == writ.CodeToolDenied || (ok && spec.Effects&(writ.EffectWrite|writ.EffectAsk) != 0) {
		r.mu.Lock()
		r.denied++
		r.deniedCode = d.Code
		r.mu.Unlock()
	}
}

// Run stores the record of an agent's run.
func (c *recorder) Run(a writ.AgentRun) { c.run.ledger.Run(a) }

// isHold reports whether err ends a phase because a person must answer.
func isHold(err error) bool {
	var h *holdError
	return errors.As(err, &h)
}
