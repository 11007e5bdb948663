package gitx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/writ-dev/writ"
)

// Repo is a workspace as git sees it: a work tree, a folder inside one, or a
// folder that belongs to none. It is safe for concurrent use.
type Repo struct {
	dir    string // the workspace, absolute
	opened fs.FileInfo
	git    *runner // nil where git is not installed
	top    string  // of the work tree; empty where there is none
	prefix string  // the workspace below top, with a slash at the end, or empty
	env    []string
	now    func() time.Time
}

// Option changes how a Repo works.
type Option func(*Repo)

// WithEnv gives the environment to pick from in place of the process's.
func WithEnv(env []string) Option { return func(r *Repo) { r.env = env } }

// WithNow gives the clock that dates commits.
func WithNow(now func() time.Time) Option { return func(r *Repo) { r.now = now } }

// Head is where a repository stands.
type Head struct {
	Branch string // empty when HEAD is detached
	Commit string // empty before the first commit
	Top    string // the work tree's folder
	Prefix string // the workspace below it, with a slash at the end, or empty
}

// Open looks at the folder dir. A folder outside any repository, a repository
// that cannot be trusted, and a machine without git give a Repo that is not
// Present.
func Open(ctx context.Context, dir string, opts ...Option) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	r := &Repo{dir: abs, opened: info, env: os.Environ(), now: time.Now}
	for _, opt := range opts {
		opt(r)
	}
	bin, err := findGit(r.env, abs)
	if err != nil {
		return r, nil
	}
	r.git = &runner{bin: bin, dir: abs, env: r.env}
	if err := r.discover(ctx); err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("open repository: %w", context.Cause(ctx))
	}
	return r, nil
}

// Present reports whether the workspace lies in a work tree.
func (r *Repo) Present() bool { return r.top != "" }

// discover finds the work tree. Its answer is taken only if the workspace
// really lies in it: a repository's configuration may name any folder as its
// work tree.
func (r *Repo) discover(ctx context.Context) error {
	real, err := filepath.EvalSymlinks(r.dir)
	if err != nil {
		return err
	}
	r.git.more = []string{"safe.directory=" + filepath.ToSlash(real)}
	out, err := r.git.line(ctx, call{user: true, args: []string{"rev-parse", "--is-inside-work-tree", "--show-toplevel"}})
	if err != nil {
		return err
	}
	inside, top, _ := strings.Cut(out, "\n")
	if inside != "true" || top == "" {
		return errors.New("not inside a work tree")
	}
	realTop, err := filepath.EvalSymlinks(filepath.FromSlash(top))
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(realTop, real)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return errors.New("the work tree is another folder")
	}
	if _, err := os.Lstat(filepath.Join(realTop, ".git")); err != nil {
		return errors.New("the work tree was moved by configuration")
	}
	r.top = realTop
	if rel != "." {
		r.prefix = filepath.ToSlash(rel) + "/"
	}
	r.git.more = []string{"safe.directory=" + filepath.ToSlash(realTop)}
	if file := r.excludesFile(ctx); file != "" {
		r.git.more = append(r.git.more, "core.excludesFile="+file)
	}
	return nil
}

// excludesFile is the file of ignore patterns that the configuration names,
// the null device if it is no regular file, and empty where none is named.
func (r *Repo) excludesFile(ctx context.Context) string {
	file, err := r.git.line(ctx, call{user: true, args: []string{"config", "--type=path", "--get", "core.excludesFile"}})
	if err != nil || file == "" {
		return ""
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(r.top, file)
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return os.DevNull
	}
	return file
}

// HeadInfo tells where the repository stands. It is an *writ.Error of code USAGE
// where there is none.
func (r *Repo) HeadInfo(ctx context.Context) (Head, error) {
	if !r.Present() {
		return Head{}, r.noRepository()
	}
	h := Head{Top: r.top, Prefix: r.prefix}
	if ref, err := r.git.line(ctx, call{args: []string{"symbolic-ref", "-q", "HEAD"}}); err == nil {
		h.Branch = strings.TrimPrefix(ref, "refs/heads/")
	}
	commit, err := r.git.line(ctx, call{args: []string{"rev-parse", "-q", "--verify", "HEAD^{commit}"}})
	if err == nil {
		h.Commit = commit
	} else if h.Branch == "" {
		return Head{}, fmt.Errorf("read HEAD: %w", err)
	}
	return h, nil
}

func (r *Repo) noRepository() error {
	msg := r.dir + " is in no git repository"
	if r.git == nil {
		msg = errNoGit.Error()
	}
	return &writ.Error{Code: writ.CodeUsage, Op: "deliver", Msg: msg, Hint: "the changes are in the workspace; run git init to deliver them"}
}

// intact refuses to go on when another folder took the workspace's place: git
// is given a path and would list the substitute.
func (r *Repo) intact() error {
	info, err := os.Stat(r.dir)
	if err == nil && os.SameFile(info, r.opened) {
		return nil
	}
	return &writ.Error{Code: writ.CodePathOutside, Path: r.dir, Msg: "the workspace was moved away while it was open", Err: err}
}
