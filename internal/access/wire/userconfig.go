package wire

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/config"
)

// UserModel is what init writes into the person's file.
type UserModel struct {
	Wire    string `yaml:"wire"`
	BaseURL string `yaml:"base_url"`
	KeyEnv  string `yaml:"api_key_env,omitempty"`
	Name    string `yaml:"name"`
}

// WriteUserConfig writes the person's configuration and returns its path. An
// existing file is left alone unless force is set, which keeps it as .old. The
// result is checked before anything is replaced.
func WriteUserConfig(o Options, m UserModel, force bool) (string, error) {
	path, err := o.userFile()
	if err != nil {
		return "", err
	}
	_, err = os.Lstat(path)
	exists := !errors.Is(err, fs.ErrNotExist)
	if exists && !force {
		return "", &writ.Error{Code: writ.CodeUsage, Msg: path + " is there already", Hint: "edit it, or replace it with --force, which keeps the old one beside it"}
	}
	body, err := yaml.Marshal(map[string]any{"model": m})
	if err != nil {
		return "", fmt.Errorf("encode the configuration: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", &writ.Error{Code: writ.CodeConfig, Msg: "the configuration folder cannot be made: " + err.Error(), Err: err}
	}
	tmp := path + ".new"
	if err := os.WriteFile(tmp, append([]byte("# Written by writ init. writ config show prints what is in force.\n"), body...), 0o600); err != nil {
		return "", &writ.Error{Code: writ.CodeConfig, Msg: "the configuration cannot be written: " + err.Error(), Err: err}
	}
	if _, _, err := config.Load(config.Options{ConfigFlag: tmp}); err != nil {
		os.Remove(tmp)
		var e *writ.Error
		if errors.As(err, &e) {
			return "", &writ.Error{Code: writ.CodeUsage, Msg: strings.ReplaceAll(e.Msg, tmp, "init"), Hint: "correct the flag"}
		}
		return "", err
	}
	if exists {
		if err := os.Rename(path, path+".old"); err != nil {
			return "", fmt.Errorf("keep the old configuration: %w", err)
		}
	}
	return path, os.Rename(tmp, path)
}

// Trust trusts the workspace's writ.yaml as it now is and returns what that
// grants, a line each.
func Trust(o Options) ([]string, error) {
	state, err := o.stateDir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(o.Workspace, "writ.yaml")
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &writ.Error{Code: writ.CodeConfig, Msg: "writ.yaml cannot be read: " + err.Error(), Err: err}
	}
	grants, err := config.Grants(path)
	if err != nil {
		return nil, err
	}
	if err := config.NewTrust(state).Add(o.Workspace, config.Hash(body)); err != nil {
		return nil, err
	}
	return append(grants, "writ.yaml, sha256 "+config.Hash(body)[:12]), nil
}
