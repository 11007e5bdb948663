package wire

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/writ-dev/writ/internal/infra/audit"
	"github.com/writ-dev/writ/internal/infra/config"
	"github.com/writ-dev/writ/internal/infra/model/price"
	"github.com/writ-dev/writ/internal/infra/store"
	"github.com/writ-dev/writ/internal/tools/gitx"
	"github.com/writ-dev/writ/internal/tools/sandbox"
)

// Diagnosis is what doctor prints: each part with its state here.
type Diagnosis struct {
	OK      bool           `json:"ok"`
	Checks  []DoctorCheck  `json:"checks"`
	Sandbox SandboxVerdict `json:"sandbox"`
	Guards  []GuardVerdict `json:"guards"`
}

// DoctorCheck is one part: ok, warn or fail.
type DoctorCheck struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Detail string `json:"detail"`
}

// SandboxVerdict is the level that a canary reached here, and why.
type SandboxVerdict struct {
	Level int    `json:"level"`
	Why   string `json:"why"`
}

// GuardVerdict says what a guard does here.
type GuardVerdict struct {
	Name  string `json:"name"`
	Where string `json:"where"`
}

// Diagnose looks at every part. It changes nothing in the workspace.
func Diagnose(ctx context.Context, o Options) Diagnosis {
	d := Diagnosis{OK: true}
	cfg, warnings, err := LoadConfig(o)
	if err != nil {
		d.add("configuration", "fail", err.Error())
		cfg = config.Defaults()
	} else if len(warnings) > 0 {
		d.add("configuration", "warn", strings.Join(warnings, "; "))
	} else {
		d.add("configuration", "ok", "every level is read")
	}
	d.model(o, cfg)
	d.store(ctx, o, cfg)
	d.repository(ctx, o)
	d.programs(cfg)
	sb := sandbox.New(sandbox.Options{Environ: o.Environ})
	d.Sandbox.Level, d.Sandbox.Why = sb.Level()
	if want, err := sandbox.ParseLevel(cfg.Sandbox.MinLevel); err == nil && d.Sandbox.Level < want {
		d.add("sandbox", "fail", fmt.Sprintf("level %d is below sandbox.min_level %d: commands are not run", d.Sandbox.Level, want))
	} else {
		d.add("sandbox", "ok", fmt.Sprintf("level %d", d.Sandbox.Level))
	}
	d.Guards = guards()
	return d
}

func (d *Diagnosis) add(name, status, detail string) {
	d.Checks = append(d.Checks, DoctorCheck{name, status, detail})
	if status == "fail" {
		d.OK = false
	}
}

func (d *Diagnosis) model(o Options, c *config.Config) {
	switch {
	case c.Model.BaseURL == "" || c.Model.Name == "":
		d.add("model", "warn", "none is configured, so tasks end degraded; writ init names one")
	case c.Model.APIKeyEnv != "" && o.env(c.Model.APIKeyEnv) == "":
		d.add("model", "fail", "the variable "+c.Model.APIKeyEnv+" is empty; set it to the key of "+c.Model.BaseURL)
	default:
		detail := describe(c)
		if w := price.Window(c.Model.Name); w > 0 {
			detail += fmt.Sprintf(", window %d tokens", w)
		}
		d.add("model", "ok", detail)
	}
}

func (d *Diagnosis) store(ctx context.Context, o Options, c *config.Config) {
	dir, err := o.stateDir()
	if err != nil {
		d.add("state", "fail", err.Error())
		return
	}
	st, err := store.Open(ctx, store.Options{Dir: dir, URL: c.Store.URL, Now: time.Now})
	if err != nil {
		d.add("state", "fail", err.Error())
		return
	}
	defer st.Close()
	d.add("state", "ok", st.Place())
	res, err := audit.New(st, audit.Options{Dir: dir}).Verify(ctx, nil)
	switch {
	case err != nil:
		d.add("audit", "fail", err.Error())
	case !res.OK:
		d.add("audit", "fail", "broken at "+*res.BrokenAt+": "+res.Detail)
	default:
		d.add("audit", "ok", fmt.Sprintf("%d rows, the chain holds", res.Rows))
	}
}

func (d *Diagnosis) repository(ctx context.Context, o Options) {
	if _, err := exec.LookPath("git"); err != nil {
		d.add("git", "warn", "git is not installed: files are listed without it, and nothing can be delivered to a branch")
		return
	}
	repo, err := gitx.Open(ctx, o.Workspace)
	switch {
	case err != nil:
		d.add("git", "fail", err.Error())
	case !repo.Present():
		d.add("git", "ok", "installed; the workspace is in no repository")
	default:
		d.add("git", "ok", "the workspace is in a repository")
	}
}

func (d *Diagnosis) programs(c *config.Config) {
	if _, err := exec.LookPath("python3"); err != nil {
		d.add("python3", "warn", "not installed: Python files have no syntax check")
	} else {
		d.add("python3", "ok", "checks the syntax of Python files")
	}
	if len(c.Commands) == 0 {
		d.add("commands", "warn", "none is declared, so nothing is built or tested as evidence; see commands in the configuration")
		return
	}
	for _, cmd := range c.Commands {
		if _, err := exec.LookPath(cmd.Run[0]); err != nil && !strings.Contains(cmd.Run[0], "/") {
			d.add("command."+cmd.Name, "fail", cmd.Run[0]+" is not installed")
		} else {
			d.add("command."+cmd.Name, "ok", strings.Join(cmd.Run, " "))
		}
	}
}
