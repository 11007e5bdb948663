package qa

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/loop"
	"github.com/writ-dev/writ/internal/agents/prompt"
	"github.com/writ-dev/writ/internal/tools/file"
)

// listingBudget bounds the list of files in the prompt, in bytes.
const listingBudget = 1500

//go:embed qa.md.tmpl
var systemText string

//go:embed question.md.tmpl
var questionText string

// Agent answers questions.
type Agent struct {
	spec      writ.AgentSpec
	templates *template.Template
}

var _ writ.Agent = (*Agent)(nil)

// New builds the agent with the settings of its role.
func New(s loop.Settings) (writ.Agent, error) {
	templates, err := prompt.Parse(map[string]string{"system": systemText, "question": questionText})
	if err != nil {
		return nil, fmt.Errorf("qa: %w", err)
	}
	return &Agent{templates: templates, spec: s.Apply(writ.AgentSpec{
		Name: "qa", Description: "Answers questions about the workspace, reading only.",
		Role:  "you answer one question about a workspace and change nothing.",
		Tools: file.Reading(), Effects: writ.EffectRead, Guard: notEmpty{}, Temperature: loop.DefaultTemperature,
	})}, nil
}

// notEmpty is the agent's guard: an empty text is no answer.
type notEmpty struct{}

// Judge refuses an empty answer.
func (notEmpty) Judge(_ context.Context, in writ.Invocation) error {
	if strings.TrimSpace(string(in.Args)) == "" {
		return &writ.Error{Code: writ.CodeSchemaInvalid, Msg: "the answer is empty"}
	}
	return nil
}

// Spec declares the agent.
func (a *Agent) Spec() writ.AgentSpec { return a.spec }

// Prompt fills the templates.
func (a *Agent) Prompt(ctx context.Context, in writ.AgentInput) (writ.Prompt, error) {
	files, err := in.Workspace.List(ctx)
	if err != nil {
		return writ.Prompt{}, fmt.Errorf("list the workspace: %w", err)
	}
	system, err := prompt.Fill(a.templates, "system", map[string]any{"Name": a.spec.Name, "Role": a.spec.Role, "Tools": a.spec.Tools})
	if err != nil {
		return writ.Prompt{}, err
	}
	user, err := prompt.Fill(a.templates, "question", map[string]any{
		"Prompt": in.Task.Prompt, "Files": prompt.Listing(files, listingBudget), "Notes": prompt.Notes(in.Context),
	})
	return writ.Prompt{System: system, User: user}, err
}

// Answer runs the agent once and returns its text.
func Answer(ctx context.Context, runner *loop.Runner, agent writ.Agent, in writ.AgentInput) (string, error) {
	in.Attempt = 1
	out, err := runner.Run(ctx, agent, in)
	return strings.TrimSpace(out.Text), err
}
