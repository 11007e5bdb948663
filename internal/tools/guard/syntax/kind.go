package syntax

import (
	"path"
	"strings"
)

// The kinds that have a checker.
const (
	kindGo         = "go"
	kindJavaScript = "javascript"
	kindTypeScript = "typescript"
	kindPython     = "python"
	kindJSON       = "json"
	kindJSONC      = "jsonc" // JSON with comments and trailing commas
	kindYAML       = "yaml"
	kindTOML       = "toml"
)

// Supported reports whether files of this name have a checker.
func Supported(name string) bool { return Kind(name) != "" }

// Kind is the language of a file by its slash-separated path, or the empty
// string where there is no checker for it.
func Kind(name string) string {
	base := strings.ToLower(path.Base(name))
	switch base {
	case "pipfile", "cargo.lock", "poetry.lock", "uv.lock", "pdm.lock":
		return kindTOML
	case ".babelrc", ".eslintrc", ".swcrc", ".jshintrc", ".hintrc":
		return kindJSONC
	case ".prettierrc", ".clang-format", ".yamllint":
		return "" // JSON or YAML or a dialect: their readers decide
	case "pipfile.lock", "composer.lock", "flake.lock":
		return kindJSON
	}
	switch path.Ext(base) {
	case ".go":
		return kindGo
	case ".js", ".mjs", ".cjs", ".jsx":
		return kindJavaScript
	case ".ts", ".mts", ".cts", ".tsx":
		return kindTypeScript
	case ".py", ".pyi", ".pyw":
		return kindPython
	case ".json", ".webmanifest", ".geojson", ".ipynb", ".har":
		if hasComments(name, base) {
			return kindJSONC
		}
		return kindJSON
	case ".jsonc", ".code-workspace", ".sublime-project", ".sublime-settings":
		return kindJSONC
	case ".yaml", ".yml":
		return kindYAML
	case ".toml":
		return kindTOML
	}
	return ""
}

// hasComments tells the .json files whose own readers accept comments and
// trailing commas.
func hasComments(name, base string) bool {
	for _, prefix := range []string{"tsconfig", "jsconfig", "tslint", "devcontainer", "deno", "biome", "nx.", "turbo.", "api-extractor", "language-configuration", ".eslintrc", ".babelrc", ".swcrc", "babel.config", "typedoc", "launch.", "tasks.", "settings."} {
		if strings.HasPrefix(base, prefix) {
			return true
		}
	}
	for _, folder := range strings.Split(strings.ToLower(name), "/") {
		switch folder {
		case ".vscode", ".devcontainer", ".zed":
			return true
		}
	}
	return false
}
