package planner

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/registry"
)

// The bounds of a plan. A person who wants more splits the request.
const (
	maxSteps = 100
	maxFiles = 200
)

var (
	errPatterns = errors.New("a plan names exact files")
	errNoFiles  = errors.New("no step names a file")
)

// read decodes and validates a submitted plan. The error is a *writ.Error of
// code SCHEMA_INVALID that tells the model what to do; errPatterns and
// errNoFiles are in its chain where they are the reason.
func read(raw json.RawMessage) (*writ.Plan, error) {
	s, err := registry.Decode[submitted](raw)
	if err != nil {
		return nil, &writ.Error{Code: writ.CodeSchemaInvalid, Msg: "the plan has the wrong form: " + err.Error(), Err: err}
	}
	p := &writ.Plan{Summary: s.Summary}
	for i, step := range s.Steps {
		id := strings.TrimSpace(step.ID)
		if id == "" {
			id = fmt.Sprintf("s%d", i+1)
		}
		size := writ.SizeNormal
		if step.Size == string(writ.SizeSmall) {
			size = writ.SizeSmall
		}
		p.Steps = append(p.Steps, writ.Step{
			ID: id, Title: step.Title, Files: clean(step.Files), Detail: step.Detail, DependsOn: step.DependsOn,
			Size: size, Requirements: step.Requirements, Status: writ.StepPending,
		})
	}
	if err := validate(p); err != nil {
		return nil, err
	}
	return p, nil
}

func clean(files []string) []string {
	out := make([]string, 0, len(files))
	for _, f := range files {
		if f = strings.TrimSpace(f); f != "" && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

func validate(p *writ.Plan) error {
	switch {
	case len(p.Steps) == 0:
		return refuse(errNoFiles, "the plan has no step")
	case len(p.Steps) > maxSteps:
		return refuse(errPatterns, fmt.Sprintf("the plan has %d steps, at most %d are allowed", len(p.Steps), maxSteps))
	case len(p.Files()) == 0:
		return refuse(errNoFiles, "no step names a file: every step that changes something names its files")
	case len(p.Files()) > maxFiles:
		return refuse(errPatterns, fmt.Sprintf("the plan names %d files, at most %d are allowed", len(p.Files()), maxFiles))
	}
	for _, f := range p.Files() {
		if why := pattern(f); why != "" {
			return refuse(errPatterns, fmt.Sprintf("%q %s: name each file by its exact path", f, why))
		}
	}
	return order(p)
}

func refuse(cause error, msg string) error {
	return &writ.Error{Code: writ.CodeSchemaInvalid, Msg: msg, Err: cause}
}

// pattern says why a text is no path of one file; empty where it is one.
func pattern(f string) string {
	switch {
	case strings.ContainsAny(f, "*?") || strings.Contains(f, "{") && strings.Contains(f, ","):
		return "is a pattern"
	case strings.HasSuffix(f, "/") || f == "." || f == "..":
		return "is a folder"
	case strings.HasPrefix(f, "[") && strings.HasSuffix(f, "]"):
		return "is a pattern"
	default:
		return ""
	}
}

// order checks ids and dependencies and sorts the steps so that each comes
// after those it needs, otherwise in the order given.
func order(p *writ.Plan) error {
	index := map[string]int{}
	for i, s := range p.Steps {
		if _, twice := index[s.ID]; twice {
			return refuse(nil, fmt.Sprintf("two steps have the id %q", s.ID))
		}
		index[s.ID] = i
	}
	var sorted []writ.Step
	state := make([]int, len(p.Steps)) // 0 new, 1 being placed, 2 placed
	var place func(i int) error
	place = func(i int) error {
		switch state[i] {
		case 1:
			return refuse(nil, fmt.Sprintf("step %q depends on itself in a circle", p.Steps[i].ID))
		case 2:
			return nil
		}
		state[i] = 1
		for _, dep := range p.Steps[i].DependsOn {
			j, ok := index[dep]
			if !ok {
				return refuse(nil, fmt.Sprintf("step %q depends on %q, which is no step", p.Steps[i].ID, dep))
			}
			if err := place(j); err != nil {
				return err
			}
		}
		state[i] = 2
		sorted = append(sorted, p.Steps[i])
		return nil
	}
	for i := range p.Steps {
		if err := place(i); err != nil {
			return err
		}
	}
	p.Steps = sorted
	return nil
}
