package wire

import (
	"context"
	"fmt"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/gitx"
	"github.com/writ-dev/writ/internal/tools/guard"
	"github.com/writ-dev/writ/internal/tools/guard/syntax"
)

// maxChecked bounds one file that is checked by hand, in bytes.
const maxChecked = 8 << 20

// Files is what the syntax gate by hand needs: the guarded workspace and the
// checkers, without a database.
type Files struct {
	root *guard.Root
	repo *gitx.Repo
	pool *syntax.Pool
}

// OpenFiles opens the workspace. The caller closes it.
func OpenFiles(ctx context.Context, o Options) (*Files, error) {
	cfg, _, err := LoadConfig(o)
	if err != nil {
		return nil, err
	}
	policy, err := guard.NewPolicy(guard.PolicyOptions{Protected: cfg.Governance.Protected, FileNames: cfg.Governance.FileNames})
	if err != nil {
		return nil, fmt.Errorf("build the path policy: %w", err)
	}
	root, err := guard.OpenRoot(o.Workspace, policy)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	repo, err := gitx.Open(ctx, o.Workspace)
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("look for a repository: %w", err)
	}
	return &Files{root: root, repo: repo, pool: syntax.New(syntax.Options{Workers: 2})}, nil
}

// Close ends the worker process.
func (f *Files) Close() {
	f.pool.Close()
	f.root.Close()
}

// List returns what git would list.
func (f *Files) List(ctx context.Context) ([]string, error) { return f.repo.Files(ctx) }

// Check judges one file. A file that cannot be read is unknown, with why.
func (f *Files) Check(ctx context.Context, path string) writ.Syntax {
	rel, err := f.root.Clean(path)
	if err != nil {
		return unreadable(path, err)
	}
	file, err := f.root.Read(ctx, rel, maxChecked)
	if err != nil {
		return unreadable(path, err)
	}
	v := f.pool.Check(ctx, rel, file.Content)
	v.Path = rel
	return v
}

func unreadable(path string, err error) writ.Syntax {
	return writ.Syntax{Path: path, Verdict: writ.VerdictUnknown, Message: err.Error()}
}
