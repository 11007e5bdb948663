package supervisor

import (
	"context"
	"errors"
	"fmt"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/planner"
)

// intake starts the task: IDLE to PLAN.
func (r *run) intake(ctx context.Context) (string, error) {
	r.task.StartedAt = r.s.d.Now().UTC()
	if err := r.move(writ.StatePlan); err != nil {
		return "", err
	}
	r.emit(writ.EventTaskStarted, "", map[string]any{"prompt": r.task.Prompt, "type": r.task.Type})
	r.emit(writ.EventIntentDetected, "", map[string]any{"type": r.task.Type, "by": "request", "keywords": []string{}, "symbols": []string{}, "paths": planner.Paths(r.task.Prompt)})
	if r.task.Type == writ.TypeQA {
		if r.s.d.Router == nil {
			return r.noModel("qa")
		}
		if err := r.move(writ.StateExec); err != nil {
			return "", err
		}
		return phaseAnswer, nil
	}
	return phasePlan, nil
}

// noModel ends a task for which no model is configured. What rules can do was
// shown; nothing was changed.
func (r *run) noModel(agent string) (string, error) {
	r.degrade(writ.Degradation{Agent: agent, Wanted: r.s.d.Wanted(agent), StoodIn: "rules", Why: "no_key", Taints: true})
	return r.finish(writ.OutcomeDegraded, writ.ReasonRulesOnly, "no model is configured; nothing was changed")
}

// plan asks the Planner, and lets rules stand in for it where its models fail
// or it never gives a plan.
func (r *run) plan(ctx context.Context) (string, error) {
	r.openPhaseLabel(writ.PhasePlanning)
	files, err := r.list(ctx)
	if err != nil {
		return "", fmt.Errorf("list the workspace: %w", err)
	}
	if r.s.d.Router == nil {
		r.proposed(planner.Rules(r.task.Prompt, files), true)
		return r.noModel("planner")
	}
	bounded, stop := context.WithTimeoutCause(ctx, r.stepTime(), errStepTime)
	defer stop()
	view := r.overlay.View("planner", "")
	res, err := planner.Plan(bounded, r.runner, r.s.d.Agents["planner"], writ.AgentInput{
		Task: r.task, Context: r.projectNotes(ctx, nil), LastError: r.task.Work.Revision, Workspace: view,
	})
	why := ""
	switch m := modelFailed(err); {
	case err == nil:
	case ctx.Err() == nil && errors.Is(context.Cause(bounded), errStepTime):
		return "", fmt.Errorf("the planner: %w", errStepTime)
	case m != nil:
		why = m.Kind.String()
	case errors.Is(err, planner.ErrNoPlan):
		why = "no_plan"
	case errors.Is(err, planner.ErrPatterns):
		return r.finish(writ.OutcomeFailed, writ.ReasonDenied, err.Error())
	default:
		return "", err
	}
	if why != "" {
		r.degrade(writ.Degradation{Agent: "planner", Wanted: r.s.d.Wanted("planner"), StoodIn: "rules", Why: why, Taints: true})
		r.proposed(planner.Rules(r.task.Prompt, files), true)
	} else {
		r.proposed(res.Plan, false)
	}
	r.closePhase("done")
	return phaseAccept, nil
}

// proposed takes a plan over, redacted, with every step pending.
func (r *run) proposed(p *writ.Plan, byRules bool) {
	p.Summary = r.s.d.Redact.Text(p.Summary)
	for i := range p.Steps {
		p.Steps[i].Title = r.s.d.Redact.Text(p.Steps[i].Title)
		p.Steps[i].Detail = r.s.d.Redact.Text(p.Steps[i].Detail)
		p.Steps[i].Status = writ.StepPending
	}
	r.task.Work.Plan, r.task.Work.PlanByRules = p, byRules
	r.emit(writ.EventPlanProposed, "planner", map[string]any{"plan": p, "by_rules": byRules})
}
