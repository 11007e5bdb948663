package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/writ-dev/writ"
)

// ProjectName is the name of a project's configuration file. Only the one in
// the workspace's root counts.
const ProjectName = "writ.yaml"

// Options say where the levels are. The zero value loads the defaults and the
// organisation's file.
type Options struct {
	Workspace  string         // holds the project's file; empty: no project level
	ConfigFlag string         // a file in the project's place, named by the user and so trusted
	Flags      map[string]any // by dotted key
	Env        []string       // as os.Environ gives it; it alone is asked for XDG_CONFIG_HOME and HOME
	UserFile   string         // empty: $XDG_CONFIG_HOME/writ/config.yaml, else $HOME/.config/writ/config.yaml
	OrgFile    string         // empty: /etc/writ/config.yaml
	// Trusted says whether the user trusts a project file with this SHA-256, in
	// hexadecimal. Nil trusts none.
	Trusted func(hash string) bool
}

// Warning tells what did not count and why. Line is 0 for a variable of the
// environment, whose File is empty.
type Warning struct {
	File string
	Line int
	Key  string
	Why  string
}

// String is one line for a person.
func (w Warning) String() string {
	where := w.File
	if w.File != "" && w.Line > 0 {
		where = fmt.Sprintf("%s:%d", w.File, w.Line)
	}
	if where != "" {
		where += ": "
	}
	return where + w.Key + " is left out: " + w.Why
}

// Load reads all levels and merges them. An absent file is no level, except
// the one that ConfigFlag names. Every error is a *writ.Error of code CONFIG
// whose message names file and line.
func Load(o Options) (*Config, []Warning, error) {
	l := &loader{options: o, schema: newSchema()}
	m := newMerger(l.schema)
	for _, read := range []func() (level, error){l.organisation, l.user, l.project, l.environment, l.flags} {
		lv, err := read()
		if err != nil {
			return nil, nil, err
		}
		m.apply(lv)
	}
	cfg, err := m.config()
	if err != nil {
		return nil, nil, err
	}
	return cfg, append(l.warnings, m.warnings...), nil
}

// Defaults returns what Load gives where there is nothing but the defaults.
func Defaults() *Config {
	cfg, err := newMerger(newSchema()).config()
	if err != nil {
		panic("config: the defaults contradict themselves: " + err.Error())
	}
	return cfg
}

// level is what one source says.
type level struct {
	origin    string // such as "user file"; the value's place is added
	file      string // as it is shown
	untrusted bool
	settings  []setting
}

// setting is one value of a level.
type setting struct {
	key   string // dotted, names in place of "*"
	path  []string
	row   *row
	value any
	line  int
	place string // of the environment and flags, instead of file and line
}

type loader struct {
	options  Options
	schema   *schema
	warnings []Warning
}

func (l *loader) organisation() (level, error) {
	file := l.options.OrgFile
	if file == "" {
		file = filepath.FromSlash("/etc/writ/config.yaml")
	}
	return l.optional("organisation file", file)
}

func (l *loader) user() (level, error) {
	file := l.options.UserFile
	if file == "" {
		file = UserFile(l.options.Env)
	}
	if file == "" {
		return level{}, nil
	}
	return l.optional("user file", file)
}

func (l *loader) project() (level, error) {
	if flag := l.options.ConfigFlag; flag != "" {
		content, err := readFile(flag)
		if err != nil {
			return level{}, fileError(flag, err)
		}
		return l.file("project file", flag, content, false)
	}
	if l.options.Workspace == "" {
		return level{}, nil
	}
	content, err := readProject(l.options.Workspace)
	if errors.Is(err, fs.ErrNotExist) {
		return level{}, nil
	}
	if err != nil {
		return level{}, fileError(ProjectName, err)
	}
	trusted := l.options.Trusted != nil && l.options.Trusted(Hash(content))
	return l.file("project file", ProjectName, content, !trusted)
}

func (l *loader) optional(origin, file string) (level, error) {
	content, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return level{}, nil
	}
	if err != nil {
		return level{}, fileError(file, err)
	}
	return l.file(origin, file, content, false)
}

// file reads the settings of one file.
func (l *loader) file(origin, name string, content []byte, untrusted bool) (level, error) {
	r := reader{schema: l.schema, file: name, untrusted: untrusted}
	settings, err := r.read(content)
	if err != nil {
		return level{}, placeError(name, err)
	}
	l.warnings = append(l.warnings, r.warnings...)
	return level{origin: origin, file: name, untrusted: untrusted, settings: settings}, nil
}

// UserFile is where the user's file is, by the environment given. It is empty
// where the environment names no home.
func UserFile(env []string) string {
	// The XDG specification has a relative path ignored.
	if dir := lookup(env, "XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "writ", "config.yaml")
	}
	for _, home := range []string{"HOME", "USERPROFILE"} {
		if dir := lookup(env, home); filepath.IsAbs(dir) {
			return filepath.Join(dir, ".config", "writ", "config.yaml")
		}
	}
	return ""
}

// lookup returns the last value of a variable, as the operating system does.
func lookup(env []string, name string) string {
	value := ""
	for _, e := range env {
		if k, v, ok := strings.Cut(e, "="); ok && k == name {
			value = v
		}
	}
	return value
}

func fileError(file string, err error) error {
	why := err
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		why = pathErr.Err
	}
	return &writ.Error{
		Code: writ.CodeConfig, Path: file, Err: err,
		Msg: fmt.Sprintf("%s: cannot be read: %v", file, why), Hint: "name a readable, regular file of at most 1 MiB",
	}
}

// placeError puts the file in front of a fault's line.
func placeError(file string, err error) error {
	var le *lineError
	if !errors.As(err, &le) {
		return &writ.Error{Code: writ.CodeConfig, Path: file, Msg: file + ": " + err.Error(), Err: err}
	}
	where := file
	if le.line > 0 {
		where = fmt.Sprintf("%s:%d", file, le.line)
	}
	return &writ.Error{Code: writ.CodeConfig, Path: file, Msg: where + ": " + le.msg, Hint: le.hint, Err: err}
}
