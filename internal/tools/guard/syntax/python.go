package syntax

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

//go:embed python_check.py
var pythonScript string

// pythonCommand starts the machine's interpreter: isolated from its user's
// packages and variables, and in the root folder, so that nothing in the
// workspace is imported or chooses its version. It is nil without one.
func pythonCommand() *exec.Cmd {
	python := findPython(os.Getenv("PATH"))
	if python == "" {
		return nil
	}
	cmd := exec.Command(python, "-I", "-S", "-B", "-c", pythonScript)
	cmd.Dir = string(filepath.Separator)
	cmd.Env = []string{"LANG=C.UTF-8"}
	// A version manager's shim needs these to find the interpreter.
	for _, name := range []string{"PATH", "HOME", "SYSTEMROOT"} {
		if v := os.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	return cmd
}

// findPython looks along a PATH, passing over what lies beneath the current
// directory: a workspace may carry a program of that name.
func findPython(list string) string {
	name := "python3"
	if runtime.GOOS == "windows" {
		name = "python.exe"
	}
	here, err := os.Getwd()
	if err != nil {
		here = ""
	}
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) || beneath(here, dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found
		}
	}
	return ""
}

// beneath reports whether dir is root or lies in it. The root folder itself is
// nobody's workspace.
func beneath(root, dir string) bool {
	if root == "" || filepath.Dir(root) == root {
		return false
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
