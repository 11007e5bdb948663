package coder

import (
	"context"
	"embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/loop"
	"github.com/writ-dev/writ/internal/agents/prompt"
	"github.com/writ-dev/writ/internal/tools/file"
)

// The actions. Any other is taken for ActionGenerate.
const (
	ActionGenerate = "generate"
	ActionModify   = "modify"
	ActionFix      = "fix_issues"
)

// The bounds of file contents in the prompt, in bytes.
const (
	perFile  = 6 << 10
	allFiles = 24 << 10
)

//go:embed *.md.tmpl
var templates embed.FS

// Agent is the Coder.
type Agent struct {
	spec      writ.AgentSpec
	templates *template.Template
}

var _ writ.Agent = (*Agent)(nil)

// New builds the Coder with the settings of its role.
func New(s loop.Settings) (writ.Agent, error) {
	texts := map[string]string{}
	for _, name := range []string{"coder", "parts", ActionGenerate, ActionModify, ActionFix} {
		body, err := templates.ReadFile(name + ".md.tmpl")
		if err != nil {
			return nil, fmt.Errorf("coder: %w", err)
		}
		texts[name] = string(body)
	}
	parsed, err := prompt.Parse(texts)
	if err != nil {
		return nil, fmt.Errorf("coder: %w", err)
	}
	return &Agent{templates: parsed, spec: s.Apply(writ.AgentSpec{
		Name: "coder", Description: "Writes the files of one step.",
		Role:  "the Coder of a governed coding task: you carry out one step of an accepted plan.",
		Tools: file.Coding(), Effects: writ.EffectRead | writ.EffectWrite | writ.EffectExec | writ.EffectAsk, Guard: text{},
		Temperature: loop.DefaultTemperature,
	})}, nil
}

// text is the Coder's guard: its result is words, and words are judged by
// nobody. What it did is judged where it acts, by the tools' guards.
type text struct{}

// Judge lets every text pass.
func (text) Judge(context.Context, writ.Invocation) error { return nil }

// Spec declares the Coder.
func (a *Agent) Spec() writ.AgentSpec { return a.spec }

// Prompt fills the template of the action. The present content of the step's
// files stands in it, as far as it fits, and counts as shown.
func (a *Agent) Prompt(ctx context.Context, in writ.AgentInput) (writ.Prompt, error) {
	system, err := prompt.Fill(a.templates, "coder", map[string]any{"Name": a.spec.Name, "Role": a.spec.Role, "Tools": a.spec.Tools})
	if err != nil {
		return writ.Prompt{}, err
	}
	action := in.Action
	if action != ActionModify && action != ActionFix {
		action = ActionGenerate
	}
	user, err := prompt.Fill(a.templates, action, map[string]any{
		"Prompt": in.Task.Prompt, "Step": in.Step, "Files": present(ctx, in), "Notes": prompt.Notes(in.Context),
		"LastError": in.LastError, "Attempt": in.Attempt, "Failures": in.Failures, "Findings": in.Findings,
	})
	return writ.Prompt{System: system, User: user}, err
}

// presentFile is one file of the step as the prompt shows it.
type presentFile struct {
	Path, Content, Note string
	Exists, Part        bool
	Lines               int
}

// present reads the step's files. A file shown whole counts as shown, so that
// it may be written without reading it again.
func present(ctx context.Context, in writ.AgentInput) []presentFile {
	left := allFiles
	var out []presentFile
	for _, path := range in.Step.Files {
		f, err := in.Workspace.Read(ctx, path)
		switch writ.CodeOf(err) {
		case "":
		case writ.CodeFileNotFound:
			out = append(out, presentFile{Path: path, Note: "does not exist yet."})
			continue
		default:
			out = append(out, presentFile{Path: path, Note: "cannot be shown here: " + err.Error()})
			continue
		}
		p := shown(f, min(left, perFile))
		left -= len(p.Content)
		if p.Exists && !p.Part {
			in.Workspace.MarkShown(path, f.SHA256)
		}
		out = append(out, p)
	}
	return out
}

// shown fits a file into a budget, by whole lines.
func shown(f writ.File, budget int) presentFile {
	p := presentFile{Path: f.Path, Exists: true}
	content := string(f.Content)
	switch {
	case strings.ContainsRune(content, 0) || strings.ToValidUTF8(content, "") != content:
		return presentFile{Path: f.Path, Note: "exists and is not plain UTF-8 text; read_file shows what can be shown."}
	case len(content) <= budget:
		p.Content = content
		return p
	case budget < 200:
		return presentFile{Path: f.Path, Note: fmt.Sprintf("exists (%d bytes); read_file shows it.", len(content))}
	}
	head := content[:budget]
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	p.Content, p.Part, p.Lines = strings.ToValidUTF8(head, ""), true, strings.Count(head, "\n")
	return p
}
