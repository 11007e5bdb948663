package config

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// reader turns one file into settings. What an untrusted file may not even
// mention is left out unread, with one warning for the whole of it.
type reader struct {
	schema    *schema
	file      string
	untrusted bool
	settings  []setting
	warnings  []Warning
}

func (r *reader) read(content []byte) ([]setting, error) {
	root, err := parseYAML(content)
	if err != nil {
		return nil, err
	}
	if err := r.walk(nil, root, root.line); err != nil {
		return nil, err
	}
	return r.settings, nil
}

func (r *reader) walk(at []string, n node, line int) error {
	if len(at) > 0 && r.untrusted && r.refusesAll(at) {
		r.warn(line, at, "a workspace that is not trusted cannot set it; writ doctor --trust shows what it would grant")
		return nil
	}
	if row := r.schema.find(at); row != nil {
		return r.leaf(at, row, n, line)
	}
	switch n.shape {
	case shapeNull:
		return nil
	case shapeMapping:
	case shapeText, shapeInteger, shapeNumber, shapeBool, shapeSequence:
		what := strings.Join(at, ".")
		if what == "" {
			what = "the file"
		}
		return &lineError{line: line, msg: fmt.Sprintf("%s: holds %s where a mapping is wanted", what, n.shape), hint: "known here: " + strings.Join(r.schema.children(at), ", ")}
	}
	for _, p := range n.keys {
		below := append(slices.Clone(at), p.key)
		if len(r.schema.under(below)) == 0 {
			return r.schema.unknown(below, p.line)
		}
		if err := r.schema.checkName(below); err != nil {
			return &lineError{line: p.line, msg: strings.Join(at, ".") + ": " + err.Error()}
		}
		if err := r.walk(below, p.value, p.line); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) refusesAll(at []string) bool {
	for _, row := range r.schema.under(at) {
		if row.license != refuse {
			return false
		}
	}
	return true
}

func (r *reader) leaf(at []string, row *row, n node, line int) error {
	if n.shape == shapeNull {
		return nil
	}
	if n.line > 0 {
		line = n.line
	}
	key := strings.Join(at, ".")
	value, err := row.fromNode(n)
	if err != nil {
		return keyed(key, line, err)
	}
	if row.inside && r.untrusted {
		value = r.keepInside(at, value, line)
	}
	r.settings = append(r.settings, setting{key: key, path: at, row: row, value: value, line: line})
	return nil
}

// keepInside drops the items that lead out of the workspace.
func (r *reader) keepInside(at []string, value any, line int) []string {
	var kept []string
	list, _ := value.([]string)
	for _, item := range list {
		if !isInside(item) {
			r.warn(line, at, "a workspace that is not trusted cannot name a place outside itself")
			continue
		}
		kept = append(kept, item)
	}
	return kept
}

func (r *reader) warn(line int, at []string, why string) {
	r.warnings = append(r.warnings, Warning{File: r.file, Line: line, Key: strings.Join(at, "."), Why: why})
}

// isInside tells whether a slash-separated path stays beneath its root, on
// every operating system.
func isInside(p string) bool {
	if p == "" || strings.ContainsAny(p, `\:`) || path.IsAbs(p) || filepath.IsAbs(p) || strings.HasPrefix(p, "~") {
		return false
	}
	return !slices.Contains(strings.Split(p, "/"), "..")
}

// fromNode reads a value as a file writes it, where unlike in the environment
// its type can be told.
func (r *row) fromNode(n node) (any, error) {
	switch r.kind {
	case declared:
		return readCommands(n)
	case texts, argv, variables:
		return r.listFromNode(n)
	case text, word, variable, address, database, integer, number, span, size, boolean:
	}
	wanted := map[kind][]shape{
		integer: {shapeInteger}, number: {shapeInteger, shapeNumber}, boolean: {shapeBool},
		span: {shapeText}, size: {shapeText, shapeInteger},
	}[r.kind]
	if wanted == nil {
		wanted = []shape{shapeText, shapeInteger, shapeNumber, shapeBool}
	}
	if !slices.Contains(wanted, n.shape) {
		return nil, r.wrongShape(n)
	}
	if r.kind == database {
		if err := checkURL(n.text, "postgres", "postgresql"); err != nil {
			return nil, &hinted{err, "leave the password to PGPASSWORD or ~/.pgpass, or set WRIT_STORE_URL"}
		}
	}
	return r.fromText(n.text)
}

func (r *row) listFromNode(n node) (any, error) {
	if n.shape != shapeSequence {
		err := r.wrongShape(n)
		if r.kind == argv && n.shape == shapeText {
			return nil, &hinted{err, "write the arguments one by one, as in [go, test, ./...]; no shell ever reads them"}
		}
		return nil, err
	}
	list := []string{}
	for _, item := range n.items {
		switch item.shape {
		case shapeText, shapeInteger, shapeNumber, shapeBool:
			list = append(list, item.text)
		case shapeNull, shapeMapping, shapeSequence:
			return nil, fmt.Errorf("holds %s where text is wanted", item.shape)
		}
	}
	return r.checkList(list)
}

func (r *row) wrongShape(n node) error {
	have := n.shape.String()
	switch n.shape {
	case shapeText, shapeInteger, shapeNumber, shapeBool:
		if r.kind != variable {
			have = show(n.text)
		}
	case shapeNull, shapeMapping, shapeSequence:
	}
	return fmt.Errorf("%s is not %s", have, r.kind.wanted())
}

// wanted says what a value of the kind looks like.
func (k kind) wanted() string {
	switch k {
	case text, word:
		return "text"
	case variable:
		return "the name of an environment variable"
	case address:
		return "an http URL"
	case database:
		return "a postgres URL"
	case integer:
		return "a whole number"
	case number:
		return "a number"
	case span:
		return "a duration such as 90s, 5m or 90d"
	case size:
		return "a size such as 512KiB or 2GiB"
	case boolean:
		return "true or false"
	case texts, variables:
		return "a list"
	case argv:
		return "a list of arguments"
	case declared:
		return "a list of commands"
	}
	return "known"
}

// hinted is an error with advice of its own.
type hinted struct {
	error
	hint string
}

// Unwrap returns the error itself.
func (h *hinted) Unwrap() error { return h.error }

// keyed puts the key in front of a fault of its value.
func keyed(key string, line int, err error) error {
	e := &lineError{line: line, msg: key + ": " + err.Error()}
	switch inner := err.(type) {
	case *hinted:
		e.hint = inner.hint
	case *lineError:
		e.hint = inner.hint
		if inner.line > 0 {
			e.line = inner.line
		}
	}
	return e
}
