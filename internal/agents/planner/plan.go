package planner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/loop"
)

// maxAsks bounds how often the Planner is asked for a plan.
const maxAsks = 3

// Errors with which planning ends.
var (
	// ErrNoPlan means that the model answered and never gave a plan.
	ErrNoPlan = errors.New("the planner gave no plan")
	// ErrPatterns means that the plan named patterns, folders or too many files
	// although it was sent back once.
	ErrPatterns = errors.New("the plan names patterns instead of files")
)

// Result is a plan, and whether its files had to be read from the request.
type Result struct {
	Plan        *writ.Plan
	FromRequest bool
}

// Plan asks the Planner until its plan can be followed: a plan without files
// or with patterns is sent back once, anything else that is no plan twice.
// Where the files stay missing, those that the request names are taken. Errors
// of the caller are returned as they are.
func Plan(ctx context.Context, runner *loop.Runner, agent writ.Agent, in writ.AgentInput) (Result, error) {
	var sentBack, last error
	for ask := 1; ask <= maxAsks; ask++ {
		in.Attempt = ask
		if ask > 1 {
			in.LastError = last.Error()
			runner.Retried(agent.Spec().Name, writ.PhasePlanning.String(), ask, in.LastError)
		}
		out, err := runner.Run(ctx, agent, in)
		if err == nil {
			var p writ.Plan
			if err := json.Unmarshal(out.Result, &p); err != nil {
				return Result{}, fmt.Errorf("read the plan: %w", err)
			}
			return Result{Plan: &p}, nil
		}
		switch writ.CodeOf(err) {
		case writ.CodeSchemaInvalid, writ.CodeLimitReached, writ.CodeLoopDetected:
			last = err
		default:
			return Result{}, err
		}
		for _, cause := range []error{errPatterns, errNoFiles} {
			if !errors.Is(err, cause) {
				continue
			}
			if sentBack != nil {
				return giveUp(in, sentBack)
			}
			sentBack = cause
		}
	}
	if sentBack != nil {
		return giveUp(in, sentBack)
	}
	return Result{}, fmt.Errorf("%w: %w", ErrNoPlan, last)
}

// giveUp ends with what rules can still do: take the files that the request
// names where the plan named none.
func giveUp(in writ.AgentInput, cause error) (Result, error) {
	if errors.Is(cause, errPatterns) {
		return Result{}, ErrPatterns
	}
	if files := Paths(in.Task.Prompt); len(files) > 0 {
		return Result{Plan: Rules(in.Task.Prompt, nil), FromRequest: true}, nil
	}
	return Result{}, fmt.Errorf("%w: it names no file, and the request names none either", ErrNoPlan)
}
