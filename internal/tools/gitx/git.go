package gitx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/writ-dev/writ"
)

const (
	callTimeout = 60 * time.Second
	maxOutput   = 256 << 20 // bytes; a listing of more than a million files
	maxStderr   = 4 << 10
)

// errNoGit says that no usable git program was found.
var errNoGit = errors.New("git is not installed")

// runner calls one git program on one folder.
type runner struct {
	bin  string
	dir  string
	env  []string // the caller's environment, from which little is taken
	more []string // configuration found at Open
}

// call is one invocation.
type call struct {
	args  []string
	stdin io.Reader
	env   []string // added to the scrubbed environment
	// user lets git read the user's own configuration, which is needed where
	// identity, safe.directory or line ends are asked for. The repository's
	// configuration is read in any case.
	user bool
}

// findGit looks for git on the PATH, leaving out relative folders and those
// inside the workspace: npm and others put a project's own programs there.
func findGit(env []string, dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	name := "git"
	if runtime.GOOS == "windows" {
		name = "git.exe"
	}
	for _, folder := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		bin := filepath.Join(folder, name)
		target, err := filepath.EvalSymlinks(bin)
		if err != nil || under(target, real) || under(bin, real) || under(bin, dir) {
			continue
		}
		if info, err := os.Stat(target); err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			return bin, nil
		}
	}
	return "", errNoGit
}

// under reports whether a path is the folder or lies in it.
func under(p, dir string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func lookup(env []string, key string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], key+"="); ok {
			return v
		}
	}
	return ""
}

// passed are the variables that git gets from the caller: where programs,
// homes and temporary folders are.
func passed() []string {
	return []string{"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "TMP", "TEMP",
		"SYSTEMROOT", "SystemRoot", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA"}
}

// identityVariables are passed where git is asked who the author is.
func identityVariables() []string {
	return []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"}
}

// environ builds the environment of a call.
func (g *runner) environ(c call) []string {
	var env []string
	keep := passed()
	if c.user {
		keep = append(keep, identityVariables()...)
	}
	for _, key := range keep {
		if v := lookup(g.env, key); v != "" {
			env = append(env, key+"="+v)
		}
	}
	env = append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_ALLOW_PROTOCOL=none", "GIT_PAGER=cat", "GIT_EDITOR=:", "GIT_ATTR_NOSYSTEM=1", "GIT_ADVICE=0")
	if !c.user {
		env = append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	}
	return append(env, c.env...)
}

// overrides are the settings that a repository's configuration loses against.
func overrides() []string {
	return []string{
		"core.fsmonitor=false",
		"core.hooksPath=" + os.DevNull,
		"core.attributesFile=" + os.DevNull,
		"core.untrackedCache=false",
		"core.splitIndex=false",
		"core.sparseCheckout=false",
		"core.quotePath=false",
		"core.pager=cat",
		"core.editor=:",
		"core.askPass=",
		"core.sshCommand=false",
		"credential.helper=",
		"protocol.allow=never",
		"commit.gpgSign=false",
		"i18n.commitEncoding=UTF-8",
		"gc.auto=0",
		"maintenance.auto=false",
		"safe.bareRepository=explicit",
		"submodule.recurse=false",
	}
}

// run calls git and returns its standard output.
func (g *runner) run(ctx context.Context, c call) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	args := []string{"--no-pager", "--literal-pathspecs"}
	for _, o := range append(overrides(), g.more...) {
		args = append(args, "-c", o)
	}
	cmd := exec.CommandContext(ctx, g.bin, append(args, c.args...)...)
	cmd.Dir = g.dir
	cmd.Env = g.environ(c)
	cmd.Stdin = c.stdin
	cmd.WaitDelay = 2 * time.Second
	out, errs := &bounded{limit: maxOutput}, &bounded{limit: maxStderr, drop: true}
	cmd.Stdout, cmd.Stderr = out, errs
	err := cmd.Run()
	switch {
	case err == nil:
		return out.Bytes(), nil
	case out.full:
		return nil, &writ.Error{Code: writ.CodeTooLarge, Op: "git " + c.args[0],
			Msg: fmt.Sprintf("answered more than %d MiB", maxOutput>>20), Hint: "leave generated folders out with .gitignore or .writignore"}
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: %w", c.args[0], context.Cause(ctx))
	}
	return nil, &gitError{verb: c.args[0], said: errs.String(), err: err}
}

// line is run for an answer of one line.
func (g *runner) line(ctx context.Context, c call) (string, error) {
	out, err := g.run(ctx, c)
	return strings.TrimRight(string(out), "\r\n"), err
}

// gitError is a git that failed, in one line.
type gitError struct {
	verb string
	said string
	err  error
}

// Error gives the last thing that git said, without its shout.
func (e *gitError) Error() string {
	said := e.err.Error()
	for l := range strings.Lines(e.said) {
		if l = strings.TrimSpace(l); l != "" {
			said = l
		}
	}
	for _, shout := range []string{"fatal: ", "error: "} {
		said = strings.TrimPrefix(said, shout)
	}
	return "git " + e.verb + ": " + said
}

func (e *gitError) Unwrap() error { return e.err }

// bounded is a buffer that refuses, or drops, what goes over its limit.
type bounded struct {
	bytes.Buffer
	limit int
	drop  bool
	full  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) <= b.limit {
		return b.Buffer.Write(p)
	}
	b.full = true
	if b.drop {
		b.Buffer.Write(p[:b.limit-b.Len()])
		return len(p), nil
	}
	return 0, errors.New("too much output")
}
