package supervisor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/verifier"
	"github.com/writ-dev/writ/internal/tools/sandbox"
	"github.com/writ-dev/writ/internal/tools/sandbox/tree"
)

// maxFile bounds what is read or staged as one file, in bytes.
const maxFile = 1 << 20

// commands lists the declared commands that a verification runs: build, lint
// and test ones, in that order.
func (r *run) commands() []verifier.Command {
	var out []verifier.Command
	for _, phase := range []string{"build", "lint", "test"} {
		for _, c := range r.s.d.Config.Commands {
			if c.Phase == phase {
				out = append(out, verifier.Command{Name: c.Name, Phase: c.Phase, Run: c.Run, Required: c.Required})
			}
		}
	}
	return out
}

func (r *run) hasCommands() bool { return len(r.commands()) > 0 }

// commandForAgent runs a declared command for the Coder. What it leaves behind
// is dropped; only a verification stages it.
func (r *run) commandForAgent(ctx context.Context, _, name string) (writ.CommandResult, error) {
	res, err := r.runCommand(ctx, name, false)
	if err != nil {
		return writ.CommandResult{}, err
	}
	if res.Unchecked != "" {
		return writ.CommandResult{}, &writ.Error{Code: writ.CodeToolDenied, Msg: "the command cannot be run here: " + res.Unchecked}
	}
	return res.CommandResult, nil
}

// commandForCheck runs a declared command as evidence.
func (r *run) commandForCheck(ctx context.Context, name string) (verifier.CommandOutcome, error) {
	return r.runCommand(ctx, name, true)
}

// runCommand lays the staged tree out in a folder of its own, runs the command
// there in the sandbox, and judges what it left.
func (r *run) runCommand(ctx context.Context, name string, stage bool) (verifier.CommandOutcome, error) {
	cmd, ok := r.declared(name)
	if !ok {
		return verifier.CommandOutcome{}, &writ.Error{Code: writ.CodeToolDenied, Msg: "no command named " + name + " is declared", Hint: "the declared ones are: " + r.commandNames()}
	}
	dir, err := os.MkdirTemp(r.s.d.WorkDir, r.task.ID+"-")
	if err != nil {
		return verifier.CommandOutcome{}, fmt.Errorf("make a folder for the command: %w", err)
	}
	defer os.RemoveAll(dir)
	laid := filepath.Join(dir, "tree")
	files, err := r.repo.Files(ctx)
	if err != nil {
		return verifier.CommandOutcome{}, fmt.Errorf("list the workspace: %w", err)
	}
	if err := r.overlay.Materialise(ctx, laid, files); err != nil {
		return verifier.CommandOutcome{}, fmt.Errorf("lay out the staged tree: %w", err)
	}
	level, err := sandbox.ParseLevel(string(r.s.d.Config.Sandbox.MinLevel))
	if err != nil {
		return verifier.CommandOutcome{}, err
	}
	sb := r.s.d.Config.Sandbox
	res, err := r.s.d.Sandbox.Run(ctx, sandbox.Job{
		Tree: laid, Cache: filepath.Join(r.s.d.WorkDir, "cache", r.task.ID), Command: cmd, Planned: r.locks.Files(),
		Limits: sandbox.Limits{MemoryBytes: int64(sb.Memory), OutputBytes: int64(sb.Output), Processes: sb.Processes, MinLevel: level},
	})
	if err != nil {
		return verifier.CommandOutcome{}, fmt.Errorf("run %s: %w", name, err)
	}
	res.Output = r.s.d.Redact.Text(res.Output)
	out := verifier.CommandOutcome{CommandResult: res.CommandResult, Unchecked: res.Unchecked, TimedOut: res.TimedOut, Failures: res.Failures}
	if res.Unchecked != "" || !stage {
		return out, nil
	}
	out.Rewrote, err = r.judgeLeft(ctx, name, laid, res.Left)
	return out, err
}

// judgeLeft stages what a command wrote to locked files, names the other
// existing files that it changed or removed, and drops the rest with a denial.
func (r *run) judgeLeft(ctx context.Context, name, dir string, left tree.Diff) ([]string, error) {
	var rewrote []string
	for _, f := range slices.Concat(left.Changed, left.Added) {
		switch {
		case r.locks.Has(f.Path):
			content, err := readLeft(dir, f.Path)
			if err != nil {
				rewrote = append(rewrote, f.Path)
				continue
			}
			if _, err := r.overlay.Stage(ctx, "command."+name, "", f.Path, content, f.After.Mode.Perm()); err != nil {
				return nil, fmt.Errorf("stage what %s wrote: %w", name, err)
			}
		case slices.ContainsFunc(left.Changed, func(c tree.File) bool { return c.Path == f.Path }):
			rewrote = append(rewrote, f.Path)
		default:
			r.deny(writ.Denial{Code: writ.CodeFileNotLocked, Path: f.Path, Agent: "command." + name}, "a command's leftover outside the lock set is dropped")
		}
	}
	for _, f := range left.Removed {
		rewrote = append(rewrote, f.Path)
	}
	return rewrote, nil
}

// readLeft reads a regular file that a command left in its tree. The command is
// hostile: a link that it made leads nowhere.
func readLeft(dir, path string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, &writ.Error{Code: writ.CodePathInvalid, Path: path, Msg: "is no regular file of at most 1 MiB"}
	}
	return root.ReadFile(filepath.FromSlash(path))
}

func (r *run) declared(name string) (sandbox.Command, bool) {
	for _, c := range r.s.d.Config.Commands {
		if c.Name == name {
			return sandbox.Command{
				Name: c.Name, Run: c.Run, Phase: c.Phase, Timeout: c.Timeout.Std(), Required: c.Required,
				Dir: c.Dir, Env: c.Env, Network: sandbox.Network(c.Network),
			}, true
		}
	}
	return sandbox.Command{}, false
}

func (r *run) commandNames() string {
	names := ""
	for _, c := range r.s.d.Config.Commands {
		if names != "" {
			names += ", "
		}
		names += c.Name
	}
	if names == "" {
		return "none"
	}
	return names
}
