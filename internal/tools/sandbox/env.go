package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/writ-dev/writ/internal/tools/sandbox/gocache"
)

// vars is an environment under construction; the last value of a name counts.
type vars map[string]string

func (v vars) get(name string) string { return v[name] }

func (v vars) list() []string {
	out := make([]string, 0, len(v))
	for name, value := range v {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// lookup returns the last value of a name in an environment list.
func lookup(environ []string, name string) string {
	value := ""
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			value = v
		}
	}
	return value
}

// environment is what a command sees: an allow-list of harmless variables, the
// private folders, switches that keep toolchains from fetching or running what
// a repository names, and the variables that the declaration names.
func environment(host []string, cmd Command, p *private, exe string) vars {
	v := vars{
		"PATH": strings.Join(searchPath(lookup(host, "PATH")), string(os.PathListSeparator)),
		"HOME": p.home, "TMPDIR": p.temp, "TMP": p.temp, "TEMP": p.temp,
		"XDG_CACHE_HOME": p.cache, "XDG_CONFIG_HOME": filepath.Join(p.home, ".config"),
		"XDG_DATA_HOME": filepath.Join(p.home, ".local", "share"), "XDG_STATE_HOME": filepath.Join(p.home, ".local", "state"),
		"LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "CI": "true", "SHELL": "/bin/sh",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_TERMINAL_PROMPT": "0",
		"PYTHONDONTWRITEBYTECODE": "1", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
		"npm_config_cache": filepath.Join(p.cache, "npm"), "npm_config_update_notifier": "false", "npm_config_fund": "false",
		"YARN_IGNORE_PATH": "1", "COREPACK_ENABLE_NETWORK": "0", "COREPACK_ENABLE_AUTO_PIN": "0",
		"CARGO_TARGET_DIR": filepath.Join(p.cache, "cargo-target"),
	}
	for _, name := range []string{"TZ", "RUSTUP_HOME", "JAVA_HOME", "GOROOT", "GOARCH", "GOOS", "GOEXPERIMENT", "CGO_ENABLED"} {
		if value := lookup(host, name); value != "" {
			v[name] = value
		}
	}
	goEnvironment(v, host, cmd.Network, p, exe)
	rustEnvironment(v, host, cmd.Network)
	if runtime.GOOS == "windows" {
		for _, name := range []string{"SYSTEMROOT", "COMSPEC", "PATHEXT"} {
			v[name] = lookup(host, name)
		}
		v["USERPROFILE"] = p.home
	}
	v["JAVA_TOOL_OPTIONS"] = "-Djava.io.tmpdir=" + p.temp + " -Duser.home=" + p.home + " -XX:-UsePerfData"
	for _, name := range cmd.Env {
		if value := lookup(host, name); value != "" {
			v[name] = value
		}
	}
	return v
}

// goEnvironment keeps go from fetching anything. The person's module and build
// caches are read only: the build cache through a proxy program that writes
// into the private one, so that a test cannot plant objects for later builds.
func goEnvironment(v vars, host []string, network Network, p *private, exe string) {
	v["GOTOOLCHAIN"], v["GOTELEMETRY"], v["GOENV"] = "local", "off", "off"
	v["GOPATH"] = filepath.Join(p.home, "go")
	v["GOCACHE"] = filepath.Join(p.cache, "go-build")
	modules := moduleCache(host)
	if network == NetworkFull {
		v["GOMODCACHE"], v["GOFLAGS"] = filepath.Join(p.cache, "go-mod"), "-modcacherw"
		v["GOPROXY"] = "file://" + filepath.ToSlash(filepath.Join(modules, "cache", "download")) + ",https://proxy.golang.org,direct"
	} else {
		v["GOMODCACHE"], v["GOPROXY"], v["GOSUMDB"] = modules, "off", "off"
	}
	if shared := buildCache(host); shared != "" {
		if program := gocache.Program(exe, v["GOCACHE"], shared); program != "" {
			v["GOCACHEPROG"] = program
		}
	}
}

// rustEnvironment lets rustup's proxies find the installed toolchains although
// HOME is private.
func rustEnvironment(v vars, host []string, network Network) {
	home := lookup(host, "HOME")
	if v["RUSTUP_HOME"] == "" && home != "" && isDir(filepath.Join(home, ".rustup")) {
		v["RUSTUP_HOME"] = filepath.Join(home, ".rustup")
	}
	if cargo := cargoHome(host); cargo != "" {
		v["CARGO_HOME"] = cargo
	}
	if network != NetworkFull {
		v["CARGO_NET_OFFLINE"] = "true"
	}
}

// searchPath keeps the absolute entries: a relative one would let the tree
// bring its own tools.
func searchPath(path string) []string {
	var dirs []string
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && !slices.Contains(dirs, filepath.Clean(dir)) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	return dirs
}

// moduleCache returns the person's Go module cache, or where it would be.
func moduleCache(host []string) string {
	if dir := lookup(host, "GOMODCACHE"); dir != "" {
		return dir
	}
	if list := filepath.SplitList(lookup(host, "GOPATH")); len(list) > 0 && list[0] != "" {
		return filepath.Join(list[0], "pkg", "mod")
	}
	return filepath.Join(homeOf(host), "go", "pkg", "mod")
}

// buildCache returns the person's Go build cache if it exists.
func buildCache(host []string) string {
	dir := lookup(host, "GOCACHE")
	if dir == "" {
		base := lookup(host, "XDG_CACHE_HOME")
		if base == "" {
			base = filepath.Join(homeOf(host), ".cache")
		}
		dir = filepath.Join(base, "go-build")
	}
	if !filepath.IsAbs(dir) || !isDir(dir) {
		return ""
	}
	return dir
}

// cargoHome returns the person's cargo folder if it exists.
func cargoHome(host []string) string {
	dir := lookup(host, "CARGO_HOME")
	if dir == "" {
		dir = filepath.Join(homeOf(host), ".cargo")
	}
	if !isDir(dir) {
		return ""
	}
	return dir
}

// homeOf returns HOME, or a path that does not exist: a missing HOME must not
// make relative paths out of the ones built on it.
func homeOf(host []string) string {
	if home := lookup(host, "HOME"); filepath.IsAbs(home) {
		return home
	}
	return string(filepath.Separator) + "nonexistent"
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}
