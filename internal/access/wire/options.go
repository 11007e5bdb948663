package wire

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/config"
)

// Options say for whom and where the program is built.
type Options struct {
	Workspace  string // absolute, an existing directory
	Dir        string // where relative paths of flags begin
	StateDir   string // empty: $XDG_STATE_HOME/writ
	ConfigFile string // stands instead of the project's writ.yaml
	Flags      map[string]any
	Environ    []string
	Version    string
	// Provider replaces the configured model servers; the demo plays its script
	// with it.
	Provider writ.Provider
	// Adjust changes the loaded configuration; the demo declares its commands
	// with it.
	Adjust func(*config.Config)
}

// orgFile is where an organisation's administrators put their file.
const orgFile = "/etc/writ/config.yaml"

func (o Options) env(name string) string {
	for i := len(o.Environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(o.Environ[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// abs makes a path of a flag absolute.
func (o Options) abs(p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(o.Dir, p)
}

// stateDir is where state lies: always outside the workspace.
func (o Options) stateDir() (string, error) {
	dir := o.abs(o.StateDir)
	if dir == "" {
		dir = o.abs(o.env("WRIT_STATE_DIR"))
	}
	if dir == "" {
		base := o.env("XDG_STATE_HOME")
		if !filepath.IsAbs(base) {
			home, err := o.home()
			if err != nil {
				return "", err
			}
			base = filepath.Join(home, ".local", "state")
		}
		dir = filepath.Join(base, "writ")
	}
	dir = filepath.Clean(dir)
	if o.Workspace != "" && (dir == o.Workspace || strings.HasPrefix(dir, o.Workspace+string(filepath.Separator))) {
		return "", &writ.Error{Code: writ.CodeUsage, Msg: "the state folder lies inside the workspace", Hint: "name one outside with --state-dir"}
	}
	return dir, nil
}

// userFile is the person's own configuration.
func (o Options) userFile() (string, error) {
	base := o.env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) {
		home, err := o.home()
		if err != nil {
			return "", err
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, "writ", "config.yaml"), nil
}

func (o Options) home() (string, error) {
	if h := o.env("HOME"); filepath.IsAbs(h) {
		return h, nil
	}
	if h, err := os.UserHomeDir(); err == nil && filepath.IsAbs(h) {
		return h, nil
	}
	return "", &writ.Error{Code: writ.CodeConfig, Msg: "no home directory is known", Hint: "set HOME, or XDG_STATE_HOME and XDG_CONFIG_HOME"}
}

// LoadConfig reads every level of the configuration. The warnings are lines
// for a person.
func LoadConfig(o Options) (*config.Config, []string, error) {
	user, err := o.userFile()
	if err != nil {
		return nil, nil, err
	}
	state, err := o.stateDir()
	if err != nil {
		return nil, nil, err
	}
	trust := config.NewTrust(state)
	c, warnings, err := config.Load(config.Options{
		Workspace: o.Workspace, ConfigFlag: o.abs(o.ConfigFile), Flags: o.Flags, Env: o.Environ,
		UserFile: user, OrgFile: orgFile, Trusted: func(hash string) bool { return trust.Trusted(o.Workspace, hash) },
	})
	if err != nil {
		return nil, nil, err
	}
	lines := make([]string, 0, len(warnings))
	for _, w := range warnings {
		lines = append(lines, w.String())
	}
	if o.Adjust != nil {
		o.Adjust(c)
	}
	return c, lines, nil
}
