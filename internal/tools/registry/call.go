package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/writ-dev/writ"
)

// Role is who calls: the agent's name and the tools that it may use.
type Role struct {
	Agent   string
	Allowed []string
}

// Call carries out one call of a role in the order of the package comment.
// in.Tool is the name as the model wrote it. result is always set unless err
// is, and is what the model gets to see. refused is the reason when the call
// failed; whether it is a denial is told by [writ.Lookup] of its code. err is
// a fault of Writ or the end of ctx, and is never shown to a model.
func (r *Registry) Call(ctx context.Context, role Role, in writ.Invocation) (result []byte, refused *writ.Error, err error) {
	data, err := r.call(ctx, role, in)
	if err == nil {
		result, err = success(data)
	}
	if err == nil {
		return result, nil, nil
	}
	if refused = told(err); refused != nil {
		return failure(refused), refused, nil
	}
	return nil, nil, err
}

func (r *Registry) call(ctx context.Context, role Role, in writ.Invocation) (any, error) {
	name, refused := r.Resolve(role, in.Tool)
	if refused != nil {
		return nil, refused
	}
	e := r.lookup(name)
	args, refused := decodeArgs(in.Args)
	if refused != nil {
		return nil, asOp(refused, name)
	}
	if in.Args, refused = e.schema.check(args); refused != nil {
		return nil, asOp(refused, name)
	}
	in.Tool, in.Agent = name, role.Agent
	return r.run(ctx, e, in)
}

func asOp(e *writ.Error, op string) *writ.Error {
	e.Op = op
	return e
}

// errTimeout is the cause by which run tells its own deadline from ctx's.
var errTimeout = errors.New("tool timeout")

// outcome is what the goroutine of a call leaves.
type outcome struct {
	data any
	err  error
}

// run judges and calls in a goroutine of its own. A tool that does not listen
// to its context is left behind when the deadline passes, and its result is
// dropped.
func (r *Registry) run(ctx context.Context, e *entry, in writ.Invocation) (any, error) {
	callCtx, cancel := r.withDeadline(ctx, e.spec.Effects)
	defer cancel()
	done := make(chan outcome, 1)
	go func() { done <- r.guarded(callCtx, e, in) }()
	select {
	case out := <-done:
		if out.err != nil && callCtx.Err() != nil && told(out.err) == nil {
			return nil, r.ended(callCtx, e, in)
		}
		return out.data, out.err
	case <-callCtx.Done():
		return nil, r.ended(callCtx, e, in)
	}
}

// withDeadline bounds a call, except of a tool that runs a command or asks a
// person: those end by the deadline of the command or of the hold.
func (r *Registry) withDeadline(ctx context.Context, effects writ.Effects) (context.Context, context.CancelFunc) {
	if effects.Has(writ.EffectAsk) || effects.Has(writ.EffectExec) {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, r.timeout, errTimeout)
}

func (r *Registry) ended(ctx context.Context, e *entry, in writ.Invocation) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, errTimeout) {
		return &writ.Error{
			Code: writ.CodeToolTimeout,
			Op:   in.Tool,
			Msg:  fmt.Sprintf("no answer within %s", r.timeout),
		}
	}
	return fmt.Errorf("call tool %s: %w", e.spec.Name, cause)
}

// guarded is one judged call. A panic becomes an error that names the tool;
// its stack goes to the log and to nobody else.
func (r *Registry) guarded(ctx context.Context, e *entry, in writ.Invocation) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			r.log.ErrorContext(ctx, "tool panicked", "tool", e.spec.Name, "panic", p, "stack", string(debug.Stack()))
			out = outcome{err: fmt.Errorf("call tool %s: panic: %v", e.spec.Name, p)}
		}
	}()
	if err := e.spec.Guard.Judge(ctx, in); err != nil {
		return outcome{err: err}
	}
	data, err := e.tool.Call(ctx, in)
	if err == nil {
		// Encoded here, so that a result that panics or never ends while it is
		// encoded is caught as well.
		data, err = encode(data)
	}
	return outcome{data: data, err: err}
}

// told returns the error that a model gets to see, or nil for a fault that no
// other call of the model could mend.
func told(err error) *writ.Error {
	var e *writ.Error
	if !errors.As(err, &e) || e.Code == writ.CodeInternal || e.Code == writ.CodeCancelled {
		return nil
	}
	return e
}

// Failure is the result that tells a model of an error which no tool made,
// such as a call that arrived cut off.
func Failure(e *writ.Error) json.RawMessage { return failure(e) }
