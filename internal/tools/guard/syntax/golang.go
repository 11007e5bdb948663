package syntax

import (
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"

	"github.com/writ-dev/writ"
)

const checkerGo = "go/parser"

// checkGo is gofmt's own parse: comments are read, identifiers not resolved.
// The parser bounds its depth, and stops at the first ten errors.
func checkGo(name string, content []byte) writ.Syntax {
	_, err := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution|parser.ParseComments)
	if err == nil {
		return valid(checkerGo)
	}
	v := invalid(0, 0, err.Error())
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		v = invalid(list[0].Pos.Line, list[0].Pos.Column, list[0].Msg)
	}
	v.Checker = checkerGo
	return v
}
