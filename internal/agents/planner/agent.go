package planner

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"text/template"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/loop"
	"github.com/writ-dev/writ/internal/agents/prompt"
	"github.com/writ-dev/writ/internal/tools/file"
	"github.com/writ-dev/writ/internal/tools/registry"
)

// Submit is the tool with which the Planner gives its plan.
const Submit = "submit_plan"

// listingBudget bounds the list of files in the prompt, in bytes.
const listingBudget = 1500

//go:embed planner.md.tmpl
var systemText string

//go:embed request.md.tmpl
var requestText string

// submitted is the argument of submit_plan; its schema is derived from it.
type submitted struct {
	Summary string          `json:"summary"`
	Steps   []submittedStep `json:"steps"`
}

type submittedStep struct {
	ID           string   `json:"id,omitempty"`
	Title        string   `json:"title"`
	Files        []string `json:"files" jsonschema:"exact paths that this step may write"`
	Detail       string   `json:"detail,omitempty"`
	DependsOn    []string `json:"depends_on,omitempty" jsonschema:"ids of steps that come first"`
	Size         string   `json:"size,omitempty" jsonschema:"small or normal"`
	Requirements []string `json:"requirements,omitempty"`
}

// Agent is the Planner.
type Agent struct {
	spec      writ.AgentSpec
	templates *template.Template
}

var (
	_ writ.Agent     = (*Agent)(nil)
	_ writ.Processor = (*Agent)(nil)
)

// New builds the Planner with the settings of its role.
func New(s loop.Settings) (writ.Agent, error) {
	schema, err := registry.Schema[submitted]()
	if err != nil {
		return nil, fmt.Errorf("planner: %w", err)
	}
	templates, err := prompt.Parse(map[string]string{"system": systemText, "request": requestText})
	if err != nil {
		return nil, fmt.Errorf("planner: %w", err)
	}
	return &Agent{templates: templates, spec: s.Apply(writ.AgentSpec{
		Name: "planner", Description: "Turns a request into steps that name their files.",
		Role:  "the Planner of a governed coding task: you decide which files may change, and write none.",
		Tools: file.Reading(), Effects: writ.EffectRead, Submit: Submit, Schema: schema, Guard: structure{}, Temperature: 0.1,
	})}, nil
}

// structure is the Planner's guard: a result that is no plan is refused.
type structure struct{}

// Judge refuses a submitted plan that cannot be followed.
func (structure) Judge(_ context.Context, in writ.Invocation) error {
	_, err := read(in.Args)
	return err
}

// Spec declares the Planner.
func (a *Agent) Spec() writ.AgentSpec { return a.spec }

// Prompt fills the templates: what stays the same first, the request last.
func (a *Agent) Prompt(ctx context.Context, in writ.AgentInput) (writ.Prompt, error) {
	files, err := in.Workspace.List(ctx)
	if err != nil {
		return writ.Prompt{}, fmt.Errorf("list the workspace: %w", err)
	}
	system, err := prompt.Fill(a.templates, "system", map[string]any{"Name": a.spec.Name, "Role": a.spec.Role, "Submit": Submit, "Tools": a.spec.Tools})
	if err != nil {
		return writ.Prompt{}, err
	}
	user, err := prompt.Fill(a.templates, "request", map[string]any{
		"Prompt": in.Task.Prompt, "Files": prompt.Listing(files, listingBudget), "Notes": prompt.Notes(in.Context),
		"LastError": in.LastError, "Submit": Submit,
	})
	return writ.Prompt{System: system, User: user}, err
}

// Process validates what was submitted and returns it as a writ.Plan.
func (a *Agent) Process(_ context.Context, _ writ.AgentInput, answer writ.Answer) (json.RawMessage, error) {
	if answer.Result == nil {
		return nil, &writ.Error{Code: writ.CodeSchemaInvalid, Msg: "the answer is no plan", Hint: "call " + Submit}
	}
	plan, err := read(answer.Result)
	if err != nil {
		return nil, err
	}
	return json.Marshal(plan)
}
