package syntax

import (
	"bytes"
	"errors"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
	"github.com/pelletier/go-toml/v2"

	"github.com/writ-dev/writ"
)

const (
	checkerYAML = "goccy/go-yaml"
	checkerTOML = "pelletier/go-toml"
)

// checkYAML reads every document of the stream. A file that a template engine
// has still to fill in is unknown where it does not parse as it stands.
func checkYAML(content []byte) writ.Syntax {
	if line := conflictMarks(content); line > 0 {
		return withChecker(invalid(line, 1, "the file holds the marks of an unfinished merge"), checkerYAML)
	}
	_, err := parser.ParseBytes(content, 0)
	if err == nil {
		return valid(checkerYAML)
	}
	if isTemplate(content) {
		return withChecker(unknown("the file is a template; only its engine can tell"), checkerYAML)
	}
	v := invalid(0, 0, err.Error())
	var e yaml.Error
	if errors.As(err, &e) {
		v.Message = oneLine(e.GetMessage())
		if tok := e.GetToken(); tok != nil && tok.Position != nil {
			v.Line, v.Column = tok.Position.Line, tok.Position.Column
		}
	}
	return withChecker(v, checkerYAML)
}

// isTemplate reports whether a line holds the mark of a template engine outside
// quotes. The ${{ }} of workflow files stands in plain YAML.
func isTemplate(content []byte) bool {
	for _, line := range bytes.Split(content, []byte("\n")) {
		for _, mark := range []string{"{{", "{%", "<%"} {
			at := bytes.Index(line, []byte(mark))
			if at < 0 || (at > 0 && line[at-1] == '$') {
				continue
			}
			before := line[:at]
			if bytes.Count(before, []byte(`"`))%2 == 0 && bytes.Count(before, []byte(`'`))%2 == 0 {
				return true
			}
		}
	}
	return false
}

// checkTOML also refuses what only the whole file shows, such as a table that
// is defined twice.
func checkTOML(content []byte) writ.Syntax {
	var whole map[string]any
	err := toml.Unmarshal(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), &whole)
	if err == nil {
		return valid(checkerTOML)
	}
	v := invalid(0, 0, err.Error())
	var e *toml.DecodeError
	if errors.As(err, &e) {
		line, column := e.Position()
		v = invalid(line, column, e.Error())
	}
	return withChecker(v, checkerTOML)
}

func withChecker(v writ.Syntax, checker string) writ.Syntax {
	v.Checker = checker
	return v
}
