package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/access/wire"
	"github.com/writ-dev/writ/internal/supervisor"
)

type runOptions struct {
	typ, apply, deliver, priority, session string
	planOnly, approvePlan, yes, noInput    bool
	refresh, verbose                       bool
	maxTokens                              int64
	maxTime                                time.Duration
	maxCost                                float64
	model, baseURL, output                 string
}

func (o *runOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.typ, "type", "", "task type: simple_qa or coding (default coding)")
	f.StringVar(&o.apply, "apply", "", "what happens to verified changes: verified, review or never")
	f.BoolVar(&o.planOnly, "plan-only", false, "print the plan and leave the task on its approval hold")
	f.BoolVar(&o.approvePlan, "approve-plan", false, "hold for approval of the plan")
	f.StringVar(&o.deliver, "deliver", "none", "what git gets: none, patch, branch or pr")
	f.BoolVar(&o.yes, "yes", false, "answer holds with their default")
	f.BoolVar(&o.noInput, "no-input", false, "never ask")
	f.Int64Var(&o.maxTokens, "max-tokens", 0, "hard token budget of this task")
	f.DurationVar(&o.maxTime, "max-time", 0, "time budget of this task, such as 10m")
	f.Float64Var(&o.maxCost, "max-cost", 0, "cost budget of this task in US dollars")
	f.StringVar(&o.model, "model", "", "model for this run")
	f.StringVar(&o.baseURL, "base-url", "", "model server for this run; the key comes from the environment")
	f.StringVar(&o.priority, "priority", "P1", "P0, P1 or P2")
	f.StringVar(&o.session, "session", "", "go on with a conversation")
	f.BoolVar(&o.refresh, "refresh", false, "use no cached answer")
	f.StringVarP(&o.output, "output", "o", "", "write the report to this file too")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "more detail on stderr")
}

func newRun(g *globals) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run PROMPT | -",
		Short: "Run one governed task in the workspace",
		Long: `Run one governed task: plan, lock the planned files, let the Coder change only
those, verify, repair at most twice, apply, report.

PROMPT is the request; - reads it from stdin. Exit codes: 0 succeeded, 1 internal
error, 2 wrong usage, 3 failed, 4 cancelled, 5 budget exceeded, 6 needs input,
7 degraded.`,
		Example: `  writ run "rename hlp to trim in text/a.py"
  writ run --apply review --json "fix the failing test" > events.jsonl
  git diff | writ run -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("run takes one request", `quote it: writ run "…", or pipe it: writ run -`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), g, args[0]) },
	}
	o.addFlags(cmd)
	return cmd
}

// run checks the flags, builds the program and drives the task.
func (o *runOptions) run(ctx context.Context, g *globals, prompt string) error {
	req, err := o.request()
	if err != nil {
		return err
	}
	if prompt == "-" {
		b, err := io.ReadAll(io.LimitReader(g.env.Stdin, 1<<20))
		if err != nil {
			return fmt.Errorf("read the request from stdin: %w", err)
		}
		prompt = string(b)
	}
	req.Prompt = prompt
	if strings.TrimSpace(prompt) == "" {
		return usageError("the request is empty", `say what to do: writ run "…"`)
	}
	opts, err := g.options()
	if err != nil {
		return err
	}
	opts.Flags = o.overrides()
	app, err := wire.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer app.Close()
	g.warn(app.Warnings)
	req.Workspace, req.Warnings = opts.Workspace, app.Warnings
	if req.Options.Apply == "" {
		req.Options.Apply = writ.ApplyMode(app.Config.Governance.Apply)
	}
	report, err := g.drive(ctx, app, req)
	if err != nil {
		return err
	}
	if o.output != "" {
		if err := writeReport(o.output, report); err != nil {
			return err
		}
	}
	if o.planOnly && report.Hold != nil {
		return nil
	}
	return ended(report)
}

// ended turns a report into the exit code.
func ended(r *writ.Report) error {
	code := r.Outcome.ExitCode()
	if r.Delivery.Error != "" {
		code = writ.ExitFailed
	}
	if code == writ.ExitOK {
		return nil
	}
	return &exitError{code}
}

// request checks every flag before anything is built.
func (o *runOptions) request() (supervisor.Request, error) {
	var q supervisor.Request
	typ := writ.TaskType(o.typ)
	switch typ {
	case "":
		typ = writ.TypeCoding
	case writ.TypeQA, writ.TypeCoding:
	case writ.TypeArchitecture, writ.TypeDeployment, writ.TypeSDD:
		return q, usageError("task type "+o.typ+" is not part of this version", "use simple_qa or coding")
	default:
		return q, usageError(fmt.Sprintf("no task type %q", o.typ), "use simple_qa or coding")
	}
	for _, c := range []struct {
		flag, value string
		allowed     []string
	}{
		{"apply", o.apply, []string{"", "verified", "review", "never"}},
		{"deliver", o.deliver, []string{"none", "patch", "branch", "pr"}},
		{"priority", o.priority, []string{"P0", "P1", "P2"}},
	} {
		if !slices.Contains(c.allowed, c.value) {
			return q, usageError(fmt.Sprintf("--%s cannot be %q", c.flag, c.value), "use one of "+strings.Join(c.allowed, " "))
		}
	}
	if o.maxTokens < 0 || o.maxTime < 0 || o.maxCost < 0 {
		return q, usageError("a budget cannot be negative", "leave the flag out for the configured one")
	}
	if o.session != "" {
		return q, usageError("conversations are not part of this version", "leave --session out")
	}
	return supervisor.Request{
		Type: typ, Priority: writ.Priority(o.priority),
		Options: writ.Options{
			Apply: writ.ApplyMode(o.apply), Deliver: writ.DeliverMode(o.deliver), PlanOnly: o.planOnly, ApprovePlan: o.approvePlan,
			Yes: o.yes, NoInput: o.noInput, Refresh: o.refresh, Verbose: o.verbose,
			Limits: writ.Limits{HardTokens: o.maxTokens, TaskTimeout: o.maxTime, CostUSD: o.maxCost},
		},
	}, nil
}

// overrides are the flags that the configuration takes as its highest level.
func (o *runOptions) overrides() map[string]any {
	flags := map[string]any{}
	if o.model != "" {
		flags["model.name"] = o.model
	}
	if o.baseURL != "" {
		flags["model.base_url"] = o.baseURL
	}
	if o.apply != "" {
		flags["governance.apply"] = o.apply
	}
	return flags
}
