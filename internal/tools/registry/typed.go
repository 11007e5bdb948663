package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
)

// Typed describes a tool whose arguments are the Go struct A. Call receives
// them decoded and checked; in.Args still holds their text.
type Typed[A any] struct {
	Name        string
	Description string // told to the model; surrounding white space is dropped
	Effects     writ.Effects
	Guard       writ.Guard
	Call        func(ctx context.Context, in writ.Invocation, args A) (any, error)
}

// NewTool makes a [writ.Tool] with a schema derived from A. It fails only on a
// programmer's mistake: a type that has no schema, or no Call.
func NewTool[A any](t Typed[A]) (writ.Tool, error) {
	if t.Call == nil {
		return nil, fmt.Errorf("make tool %q: no Call", t.Name)
	}
	schema, err := Schema[A]()
	if err != nil {
		return nil, fmt.Errorf("make tool %q: %w", t.Name, err)
	}
	return &typedTool[A]{call: t.Call, spec: writ.ToolSpec{
		Name:        t.Name,
		Description: strings.TrimSpace(t.Description),
		Schema:      schema,
		Effects:     t.Effects,
		Guard:       t.Guard,
	}}, nil
}

type typedTool[A any] struct {
	spec writ.ToolSpec
	call func(ctx context.Context, in writ.Invocation, args A) (any, error)
}

var _ writ.Tool = (*typedTool[struct{}])(nil)

// Spec returns the declaration.
func (t *typedTool[A]) Spec() writ.ToolSpec { return t.spec }

// Call decodes the arguments and calls the function.
func (t *typedTool[A]) Call(ctx context.Context, in writ.Invocation) (any, error) {
	args, err := Decode[A](in.Args)
	if err != nil {
		return nil, err
	}
	return t.call(ctx, in, args)
}

// Decode reads the arguments of a call into their struct and refuses fields
// that it does not have. The error is SCHEMA_INVALID; behind [Registry.Call],
// which has checked the schema, it does not occur.
func Decode[A any](raw json.RawMessage) (A, error) {
	var args A
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&args); err != nil {
		return args, invalid("%s", err.Error())
	}
	return args, nil
}
