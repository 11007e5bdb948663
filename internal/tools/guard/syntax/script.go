package syntax

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/writ-dev/writ"
)

const checkerScript = "esbuild"

// flowMark tells a file of Flow types, which look like errors to every parser
// of JavaScript.
var flowMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[\s/*]*@flow\b`) })

// checkScript parses JavaScript and TypeScript, each with and without JSX. A
// stack overflow in here ends the process: it runs in a worker only.
func checkScript(name string, content []byte) writ.Syntax {
	result := api.Transform(string(content), api.TransformOptions{
		Loader:   loader(name),
		LogLevel: api.LogLevelSilent,
		LogLimit: 1,
		JSX:      api.JSXPreserve,
		Target:   api.ESNext,
		// Parameter decorators are errors without this.
		TsconfigRaw: `{"compilerOptions":{"experimentalDecorators":true}}`,
	})
	if len(result.Errors) == 0 {
		return valid(checkerScript)
	}
	if flowMark().Match(content[:min(len(content), 4096)]) {
		v := unknown("the file has Flow types, which no checker reads here")
		v.Checker = checkerScript
		return v
	}
	first := result.Errors[0]
	v := invalid(0, 0, first.Text)
	if at := first.Location; at != nil {
		v.Line, v.Column = at.Line, at.Column+1
	}
	v.Checker = checkerScript
	return v
}

// loader lets .js hold JSX, as the tools that build such files do.
func loader(name string) api.Loader {
	switch strings.ToLower(path.Ext(name)) {
	case ".tsx":
		return api.LoaderTSX
	case ".ts", ".mts", ".cts":
		return api.LoaderTS
	case ".mjs", ".cjs":
		return api.LoaderJS
	}
	return api.LoaderJSX
}

// conflictMarks finds the marks that an unfinished merge leaves, all three at
// the beginning of a line and in their order.
func conflictMarks(content []byte) (line int) {
	want := []string{"<<<<<<< ", "=======", ">>>>>>> "}
	at := 0
	for i, l := range bytes.Split(content, []byte("\n")) {
		if !strings.HasPrefix(string(l), want[at]) {
			continue
		}
		if at == 0 {
			line = i + 1
		}
		if at++; at == len(want) {
			return line
		}
	}
	return 0
}
