package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/registry"
)

// conversation is one run in progress.
type conversation struct {
	r     *Runner
	spec  writ.AgentSpec
	in    writ.AgentInput
	run   writ.AgentRun
	loops detector
	empty int // empty answers so far
	// refusedSyntax holds the files whose last write was refused for its syntax.
	refusedSyntax map[string]bool
}

// maxEmpty is how many empty answers are told before the run ends.
const maxEmpty = 2

// converse asks the model until it answers without a call or submits.
func (c *conversation) converse(ctx context.Context, agent writ.Agent) (writ.Answer, error) {
	req, err := c.request(ctx, agent)
	if err != nil {
		return writ.Answer{}, err
	}
	for round := 1; ; round++ {
		if round > c.spec.MaxRounds {
			return writ.Answer{}, &writ.Error{Code: writ.CodeLimitReached, Msg: fmt.Sprintf("%s reached its limit of %d rounds", c.spec.Name, c.spec.MaxRounds)}
		}
		c.run.Rounds = round
		resp, err := c.r.o.Caller.Call(ctx, Call{Agent: c.spec.Name, Step: c.run.Step, Attempt: c.run.Attempt, Round: round, Request: req}, nil)
		if err != nil {
			return writ.Answer{}, err
		}
		c.count(resp)
		answer, done, err := c.turn(ctx, req, resp, round)
		if err != nil || done {
			answer.Rounds = round
			return answer, err
		}
	}
}

func (c *conversation) count(resp writ.Response) {
	c.run.Model = resp.Model
	u := &c.run.Usage
	u.Input += resp.Usage.Input
	u.CacheRead += resp.Usage.CacheRead
	u.CacheWrite += resp.Usage.CacheWrite
	u.Output += resp.Usage.Output
	u.Reasoning += resp.Usage.Reasoning
	if u.Source == "" || resp.Usage.Source != writ.UsageReported {
		u.Source = resp.Usage.Source
	}
}

// turn takes one answer: it carries out the calls and appends the results, or
// finds that the run is done.
func (c *conversation) turn(ctx context.Context, req *writ.Request, resp writ.Response, round int) (writ.Answer, bool, error) {
	calls := resp.Calls
	if len(calls)+len(resp.Rejected) == 0 {
		textual, submitted := c.fromText(resp.Text)
		if submitted != nil {
			return writ.Answer{Text: resp.Text, Result: submitted}, true, nil
		}
		if textual == nil {
			return c.plainText(req, resp)
		}
		calls = textual
	}
	msg := writ.Message{Role: writ.RoleAssistant, Content: c.r.o.Redact(resp.Text), Opaque: resp.Opaque}
	results := make([]writ.Message, 0, len(calls)+len(resp.Rejected))
	var submitted json.RawMessage
	var signature strings.Builder
	for i, call := range calls {
		call.ID = fmt.Sprintf("call_%d_%d", round, i+1)
		msg.Calls = append(msg.Calls, writ.ToolCall{ID: call.ID, Name: call.Name, Args: redacted(call.Args, c.r.o.Redact)})
		if call.Name == c.spec.Submit && c.spec.Submit != "" {
			submitted = call.Args
			continue
		}
		result, err := c.execute(ctx, call, round)
		if err != nil {
			return writ.Answer{}, false, err
		}
		fmt.Fprintf(&signature, "%s %s %s\n", call.Name, call.Args, result)
		results = append(results, toolMessage(call, result))
	}
	for i, bad := range resp.Rejected {
		// The call stands in the history without its arguments, since they are
		// not JSON; its result says why nothing was done.
		call := writ.ToolCall{ID: fmt.Sprintf("call_%d_x%d", round, i+1), Name: toolName(bad.Name), Args: json.RawMessage(`{}`)}
		msg.Calls = append(msg.Calls, call)
		fmt.Fprintf(&signature, "%s rejected %s\n", bad.Name, bad.Why)
		results = append(results, toolMessage(call, c.rejected(bad, resp.Stop)))
	}
	if submitted != nil {
		return writ.Answer{Text: resp.Text, Result: submitted}, true, nil
	}
	if err := c.watch(signature.String(), results); err != nil {
		return writ.Answer{}, false, err
	}
	req.Messages = append(append(req.Messages, msg), results...)
	return writ.Answer{}, false, nil
}

// execute carries out one call.
func (c *conversation) execute(ctx context.Context, call writ.ToolCall, round int) ([]byte, error) {
	in := writ.Invocation{
		Agent: c.spec.Name, Step: c.run.Step, Tool: call.Name, Args: call.Args, Workspace: c.in.Workspace,
		CallID: fmt.Sprintf("%d/%d/%s", c.run.Attempt, round, call.ID),
	}
	if c.in.Task != nil {
		in.Task = c.in.Task.ID
	}
	result, refused, err := c.r.invoke(ctx, c.spec, in)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", call.Name, c.spec.Name, err)
	}
	if path := argPath(call.Args); path != "" {
		switch {
		case refused != nil && refused.Code == writ.CodeSyntaxInvalid:
			c.refusedSyntax[path] = true
		case refused == nil && (call.Name == "write_file" || call.Name == "edit_file" || call.Name == "delete_file"):
			delete(c.refusedSyntax, path)
		}
	}
	return result, nil
}

// rejected is the result of a call that could not be carried out because it
// did not arrive whole.
func (c *conversation) rejected(bad writ.RejectedCall, stop writ.StopReason) []byte {
	why := bad.Why
	if stop == writ.StopLength {
		why = "the answer was cut by the output limit, so nothing was done; send it in smaller pieces (" + why + ")"
	}
	code := writ.CodeSchemaInvalid
	c.r.o.Recorder.Emit(writ.EventToolFinished, c.spec.Name, map[string]any{"tool": cut(bad.Name, 80), "code": code, "message": cut(c.r.o.Redact(why), 300)})
	return registry.Failure(&writ.Error{Code: code, Msg: why})
}

// plainText takes an answer without calls: the end of the run, or nothing.
func (c *conversation) plainText(req *writ.Request, resp writ.Response) (writ.Answer, bool, error) {
	if strings.TrimSpace(resp.Text) != "" {
		return writ.Answer{Text: resp.Text}, true, nil
	}
	c.empty++
	if c.empty >= maxEmpty {
		return writ.Answer{}, false, &writ.Error{Code: writ.CodeSchemaInvalid, Msg: c.spec.Name + " answered with nothing, twice"}
	}
	req.Messages = append(req.Messages,
		writ.Message{Role: writ.RoleAssistant, Content: "(empty)"},
		writ.Message{Role: writ.RoleUser, Content: "Your answer was empty. Call one of the tools, or answer in plain text when you are done."})
	return writ.Answer{}, false, nil
}

// watch tells a repetition once and then ends the run.
func (c *conversation) watch(signature string, results []writ.Message) error {
	if !c.loops.repeats(signature) {
		return nil
	}
	if c.loops.told {
		return &writ.Error{Code: writ.CodeLoopDetected, Msg: c.spec.Name + " repeats the same calls with the same results"}
	}
	c.loops.told = true
	note := registry.Failure(&writ.Error{Code: writ.CodeLoopDetected, Msg: "these calls were made before with the same results"})
	for i := range results {
		results[i].Content, results[i].IsError = string(note), true
	}
	return nil
}

func toolMessage(call writ.ToolCall, result []byte) writ.Message {
	return writ.Message{Role: writ.RoleTool, CallID: call.ID, Name: call.Name, Content: string(result), IsError: strings.HasPrefix(string(result), `{"ok":false`)}
}

// redacted keeps arguments JSON while secrets leave them.
func redacted(args json.RawMessage, redact func(string) string) json.RawMessage {
	clean := json.RawMessage(redact(string(args)))
	if json.Valid(clean) {
		return clean
	}
	return json.RawMessage(`{}`)
}

// toolName keeps a name that a strict server accepts.
func toolName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, cut(name, 60))
	if clean == "" {
		return "unknown"
	}
	return clean
}
