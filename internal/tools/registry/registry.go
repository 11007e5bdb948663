package registry

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/writ-dev/writ"
)

// DefaultTimeout bounds one call of a tool. It does not hold for tools that
// run commands or ask a person: these have deadlines of their own.
const DefaultTimeout = 60 * time.Second

// maxNameLen is the longest tool name that all model services accept.
const maxNameLen = 64

// Options sets a Registry up. The zero value is usable.
type Options struct {
	Timeout time.Duration // of one call; 0 means DefaultTimeout
	Log     *slog.Logger  // for operators: panics with their stack; nil discards
}

// Registry holds tools by name. It is safe for concurrent use.
type Registry struct {
	timeout time.Duration
	log     *slog.Logger

	mu    sync.RWMutex
	tools map[string]*entry
}

// entry is a registered tool with what was derived from its declaration, which
// is read once so that a tool cannot change it later.
type entry struct {
	tool   writ.Tool
	spec   writ.ToolSpec
	schema *schema
}

// New returns an empty Registry.
func New(o Options) *Registry {
	r := &Registry{timeout: o.Timeout, log: o.Log, tools: make(map[string]*entry)}
	if r.timeout <= 0 {
		r.timeout = DefaultTimeout
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	return r
}

// Register adds a tool. It refuses an incomplete declaration and a name that
// is taken; the error names the tool and all that is missing.
func (r *Registry) Register(tool writ.Tool) error {
	spec := tool.Spec()
	if err := complete(spec); err != nil {
		return fmt.Errorf("register tool %q: %w", spec.Name, err)
	}
	sch, err := parseSchema(spec.Schema)
	if err != nil {
		return fmt.Errorf("register tool %q: %w", spec.Name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.tools[spec.Name]; taken {
		return fmt.Errorf("register tool %q: the name is taken", spec.Name)
	}
	r.tools[spec.Name] = &entry{tool: tool, spec: spec, schema: sch}
	return nil
}

// RegisterAll adds tools in order and stops at the first that is refused.
func (r *Registry) RegisterAll(tools []writ.Tool) error {
	for _, tool := range tools {
		if err := r.Register(tool); err != nil {
			return err
		}
	}
	return nil
}

// Names lists the registered tools, sorted.
func (r *Registry) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := make([]string, 0, len(r.tools))
	for name := range r.tools {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Spec returns the declaration of the tool of exactly that name.
func (r *Registry) Spec(name string) (writ.ToolSpec, bool) {
	e := r.lookup(name)
	if e == nil {
		return writ.ToolSpec{}, false
	}
	return e.spec, true
}

// ModelTools returns the named tools as a model sees them, in the given order,
// so that a role's request is the same from call to call. Names that are not
// registered are left out: what is not there cannot be offered.
func (r *Registry) ModelTools(names []string) []writ.ModelTool {
	tools := make([]writ.ModelTool, 0, len(names))
	for _, name := range names {
		e := r.lookup(name)
		if e == nil {
			continue
		}
		tools = append(tools, writ.ModelTool{
			Name:        e.spec.Name,
			Description: e.spec.Description,
			Schema:      slices.Clone(e.spec.Schema),
		})
	}
	return tools
}

func (r *Registry) lookup(name string) *entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.tools[name]
}

// complete reports everything that a declaration lacks.
func complete(spec writ.ToolSpec) error {
	var missing []error
	if !validName(spec.Name) {
		missing = append(missing, fmt.Errorf("the name must be 1 to %d letters, digits, dashes or underscores", maxNameLen))
	}
	if strings.TrimSpace(spec.Description) == "" {
		missing = append(missing, errors.New("no description"))
	}
	if len(spec.Schema) == 0 {
		missing = append(missing, errors.New("no schema"))
	}
	if spec.Effects == 0 {
		missing = append(missing, errors.New("no effects: declare at least writ.EffectNone"))
	}
	if spec.Effects.Has(writ.EffectNone) && spec.Effects != writ.EffectNone {
		missing = append(missing, errors.New("effect none beside others"))
	}
	if spec.Guard == nil {
		missing = append(missing, errors.New("no guard"))
	}
	return errors.Join(missing...)
}

func validName(name string) bool {
	if name == "" || len(name) > maxNameLen {
		return false
	}
	for _, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
