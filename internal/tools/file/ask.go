package file

import (
	"context"
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
)

type requestArgs struct {
	Path   string `json:"path" jsonschema:"path of the file to add"`
	Reason string `json:"reason" jsonschema:"why the work cannot be done without it"`
}

type requestResult struct {
	Path    string `json:"path"`
	Granted bool   `json:"granted"`
}

type commandArgs struct {
	Name string `json:"name" jsonschema:"name of a declared command"`
}

// commandResult tells a model how a command ended. That it failed is a result
// like another: the call itself went well.
type commandResult struct {
	Passed   bool             `json:"passed"`
	ExitCode int              `json:"exit_code"`
	Tests    *writ.TestCounts `json:"tests,omitempty"`
	Output   string           `json:"output"`
}

// maxOutput is how much of a command's output a model gets.
const maxOutput = 16 << 10

func request(ctx context.Context, in writ.Invocation, args requestArgs) (any, error) {
	if strings.TrimSpace(args.Reason) == "" {
		return nil, &writ.Error{Code: writ.CodeSchemaInvalid, Op: RequestFile, Msg: "reason is empty: say why the file is needed"}
	}
	if err := in.Workspace.Request(ctx, args.Path, args.Reason); err != nil {
		return nil, err
	}
	return requestResult{Path: args.Path, Granted: true}, nil
}

func run(ctx context.Context, in writ.Invocation, args commandArgs) (any, error) {
	result, err := in.Workspace.RunCommand(ctx, args.Name)
	if err != nil {
		return nil, err
	}
	return commandResult{
		Passed:   result.ExitCode == 0,
		ExitCode: result.ExitCode,
		Tests:    result.Tests,
		Output:   ends(strings.ToValidUTF8(result.Output, "\ufffd")),
	}, nil
}

// ends keeps the first and the last part of a long output: how it began, and
// how it failed.
func ends(output string) string {
	if len(output) <= maxOutput {
		return output
	}
	const first = maxOutput / 4
	const last = maxOutput - first - 100
	begin := head(output, first)
	tail := strings.ToValidUTF8(output[len(output)-last:], "")
	return fmt.Sprintf("%s\n[truncated: %d of %d bytes left out]\n%s", begin, len(output)-len(begin)-len(tail), len(output), tail)
}
