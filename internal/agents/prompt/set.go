package prompt

import (
	"fmt"
	"io/fs"
	"strings"
	"text/template"

	"github.com/writ-dev/writ/internal/infra/show"
)

// Set is the parsed templates of one agent. It is immutable and safe for
// concurrent use.
type Set struct{ templates *template.Template }

// Parse reads every *.md.tmpl of a folder. An error is a programmer's mistake.
func Parse(files fs.FS) (*Set, error) {
	t, err := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"fence": Fence,
		"line":  show.Line,
		"join":  func(items []string) string { return strings.Join(items, ", ") },
	}).ParseFS(files, "*.md.tmpl")
	if err != nil {
		return nil, fmt.Errorf("parse prompt templates: %w", err)
	}
	return &Set{templates: t}, nil
}

// Has reports whether there is a template of that name, without its endings.
func (s *Set) Has(name string) bool { return s.templates.Lookup(name+".md.tmpl") != nil }

// Fill executes the named template and trims what surrounds the text.
func (s *Set) Fill(name string, data any) (string, error) {
	var b strings.Builder
	if err := s.templates.ExecuteTemplate(&b, name+".md.tmpl", data); err != nil {
		return "", fmt.Errorf("fill prompt %s: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}
