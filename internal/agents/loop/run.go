package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/registry"
)

// Outcome is what a run gave: the processed result, or the text where the
// agent has none.
type Outcome struct {
	Result json.RawMessage
	Text   string
	Run    writ.AgentRun
}

// Run runs the agent once. The error is the caller's, a *writ.Error of code
// LIMIT_REACHED, LOOP_DETECTED or SCHEMA_INVALID that says what the model did,
// or an internal one. The run is recorded in every case.
func (r *Runner) Run(ctx context.Context, agent writ.Agent, in writ.AgentInput) (out Outcome, err error) {
	spec := agent.Spec()
	c := &conversation{
		r: r, spec: spec, in: in, refusedSyntax: map[string]bool{},
		run: writ.AgentRun{ID: "r_" + r.o.NewID(), Agent: spec.Name, Attempt: max(1, in.Attempt), StartedAt: r.o.Now().UTC()},
	}
	if in.Step != nil {
		c.run.Step = in.Step.ID
	}
	r.o.Recorder.Emit(writ.EventAgentStarted, spec.Name, map[string]any{
		"run_id": c.run.ID, "role": spec.Role, "step": c.run.Step, "action": in.Action, "attempt": c.run.Attempt,
	})
	defer func() {
		if p := recover(); p != nil {
			err = &writ.Error{Code: writ.CodeInternal, Op: "run agent " + spec.Name, Msg: fmt.Sprintf("a fault in the agent: %v", p)}
		}
		out.Run = c.record(out, err)
	}()
	answer, err := c.converse(ctx, agent)
	if err != nil {
		return out, err
	}
	out.Text, out.Result = answer.Text, answer.Result
	if p, ok := agent.(writ.Processor); ok {
		out.Result, err = p.Process(ctx, in, answer)
	}
	return out, err
}

// record stores the run and publishes its end.
func (c *conversation) record(out Outcome, err error) writ.AgentRun {
	o := c.r.o
	for path := range c.refusedSyntax {
		o.Recorder.Deny(writ.Denial{Code: writ.CodeSyntaxInvalid, Path: path, Agent: c.spec.Name, Tool: "write_file"})
	}
	c.run.DurationMS = o.Now().Sub(c.run.StartedAt).Milliseconds()
	if err != nil {
		c.run.Error, c.run.Code = o.Redact(err.Error()), writ.CodeOf(err)
	}
	output := out.Result
	if output == nil {
		output, _ = json.Marshal(o.Redact(out.Text))
	} else {
		output = json.RawMessage(o.Redact(string(output)))
	}
	if json.Valid(output) {
		c.run.Output = output
	}
	o.Recorder.Run(c.run)
	data := map[string]any{
		"run_id": c.run.ID, "step": c.run.Step, "attempt": c.run.Attempt, "rounds": c.run.Rounds, "model": c.run.Model,
		"input_tokens": c.run.Usage.Input, "output_tokens": c.run.Usage.Output, "duration_ms": c.run.DurationMS,
	}
	if err != nil {
		data["code"], data["error"] = c.run.Code, cut(c.run.Error, 500)
	}
	o.Recorder.Emit(writ.EventAgentFinished, c.spec.Name, data)
	return c.run
}

// request builds the first request: system and user message with the tool
// definitions, and the submit tool.
func (c *conversation) request(ctx context.Context, agent writ.Agent) (*writ.Request, error) {
	prompt, err := agent.Prompt(ctx, c.in)
	if err != nil {
		return nil, fmt.Errorf("build the prompt of %s: %w", c.spec.Name, err)
	}
	redact := c.r.o.Redact
	prompt.System, prompt.User = redact(prompt.System), redact(prompt.User)
	c.run.Input = prompt.System + "\n\n" + prompt.User
	temperature := c.spec.Temperature
	req := &writ.Request{
		Agent: c.spec.Name, MaxTokens: c.spec.MaxTokens, Temperature: &temperature, CacheKey: "writ-" + c.spec.Name,
		Messages: []writ.Message{
			{Role: writ.RoleSystem, Content: prompt.System, Cache: true},
			{Role: writ.RoleUser, Content: prompt.User},
		},
		Tools: c.r.o.Tools.ModelTools(c.spec.Tools),
	}
	if c.spec.Submit != "" {
		req.Tools = append(req.Tools, writ.ModelTool{Name: c.spec.Submit, Description: "Give the result. Call it once, when you are done.", Schema: c.spec.Schema})
	}
	if p, ok := agent.(writ.Preparer); ok {
		if err := p.Prepare(ctx, c.in, req); err != nil {
			return nil, fmt.Errorf("prepare the request of %s: %w", c.spec.Name, err)
		}
	}
	return req, nil
}

// invoke carries out one call with its events and its denial.
func (r *Runner) invoke(ctx context.Context, spec writ.AgentSpec, in writ.Invocation) ([]byte, *writ.Error, error) {
	start := r.o.Now()
	r.o.Recorder.Emit(writ.EventToolCalled, spec.Name, map[string]any{
		"tool": cut(in.Tool, 80), "args": cut(r.o.Redact(string(in.Args)), 2048), "call_id": in.CallID, "step": in.Step,
	})
	result, refused, err := r.o.Tools.Call(ctx, registry.Role{Agent: spec.Name, Allowed: spec.Tools}, in)
	code := "ok"
	switch {
	case err != nil:
		code = string(writ.CodeOf(err))
	case refused != nil:
		code = string(refused.Code)
		if writ.Lookup(refused.Code).Denial {
			r.o.Recorder.Deny(writ.Denial{Code: refused.Code, Path: pathOf(refused, in), Agent: spec.Name, Tool: in.Tool})
		}
	}
	r.o.Recorder.Emit(writ.EventToolFinished, spec.Name, map[string]any{
		"tool": cut(in.Tool, 80), "code": code, "call_id": in.CallID, "duration_ms": r.o.Now().Sub(start).Milliseconds(),
	})
	return result, refused, err
}

// pathOf is the path that was refused: the error's, else the argument.
func pathOf(e *writ.Error, in writ.Invocation) string {
	if e.Path != "" {
		return cut(e.Path, 300)
	}
	return cut(argPath(in.Args), 300)
}

func argPath(args json.RawMessage) string {
	var a struct {
		Path string `json:"path"`
		To   string `json:"to"`
	}
	// Arguments of another shape have no path to show.
	_ = json.Unmarshal(args, &a)
	if a.Path == "" {
		return a.To
	}
	return a.Path
}

// cut shortens a text to n bytes of valid UTF-8.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
