package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Trust remembers which content of which workspace's writ.yaml the user
// trusts: one SHA-256 for each workspace. It holds nothing in memory, so any
// number of processes may use one folder; of two that trust different
// workspaces at the same instant one may have to be repeated.
type Trust struct{ file string }

// NewTrust keeps trust in a folder, the state folder, which must not lie in a
// workspace. The folder is made when something is first trusted.
func NewTrust(dir string) *Trust { return &Trust{file: filepath.Join(dir, "trust.json")} }

// Trusted says whether the user trusts the content with that hash in that
// workspace. A trust file that cannot be read trusts nothing.
func (t *Trust) Trusted(workspace, hash string) bool {
	all, err := t.read()
	if err != nil || hash == "" {
		return false
	}
	return all[realPath(workspace)] == hash
}

// Add binds a workspace to one content and forgets the one before.
func (t *Trust) Add(workspace, hash string) error {
	all, err := t.read()
	if err != nil {
		return err
	}
	all[realPath(workspace)] = hash
	content, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("write trust: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(t.file), 0o700); err != nil {
		return fmt.Errorf("write trust: %w", err)
	}
	return replace(t.file, append(content, '\n'))
}

func (t *Trust) read() (map[string]string, error) {
	content, err := readFile(t.file)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read trust: %w", err)
	}
	all := map[string]string{}
	if err := json.Unmarshal(content, &all); err != nil {
		return nil, fmt.Errorf("read trust: %s: %w", t.file, err)
	}
	return all, nil
}

// replace writes a file whole or not at all.
func replace(name string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".trust-*")
	if err != nil {
		return fmt.Errorf("write trust: %w", err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(content)
	if err == nil {
		err = tmp.Sync()
	}
	if err := errors.Join(err, tmp.Close()); err != nil {
		return fmt.Errorf("write trust: %w", err)
	}
	if err := os.Rename(tmp.Name(), name); err != nil {
		return fmt.Errorf("write trust: %w", err)
	}
	return nil
}

// realPath is one spelling for a folder that links may name in several ways.
func realPath(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}
