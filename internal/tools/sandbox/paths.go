package sandbox

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// systemPaths are what any program needs to run: code, not data. Of /etc only
// the entries that loaders, resolvers and runtimes read are listed; password
// hashes, host keys and certificates' private halves are not among them.
func systemPaths() []string {
	return []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
		"/etc/alternatives", "/etc/ca-certificates", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/pki/ca-trust",
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf",
		"/etc/resolv.conf", "/run/systemd/resolve/stub-resolv.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/passwd", "/etc/group",
		"/etc/localtime", "/etc/timezone", "/etc/os-release", "/etc/mime.types", "/etc/locale.alias", "/etc/locale.conf", "/etc/inputrc", "/etc/terminfo",
		"/etc/bash.bashrc", "/etc/fonts", "/etc/python3", "/etc/java-17-openjdk", "/etc/java-21-openjdk", "/etc/java-25-openjdk", "/etc/maven", "/etc/crypto-policies",
		"/proc", "/sys/devices/system/cpu", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage",
		"/dev/zero", "/dev/random", "/dev/urandom", "/dev/full",
	}
}

// toolParts are the folders and files of an installed toolchain that hold code.
// What else stands beside a bin folder may be a person's own.
func toolParts() []string {
	return []string{"bin", "sbin", "lib", "lib64", "libexec", "include", "src", "pkg", "versions", "plugins", "shims", "toolchains", "candidates",
		"jre", "jmods", "conf", "VERSION", "go.env", "pyvenv.cfg", "release", "version", "settings.toml"}
}

// readable lists what a command may read and execute: the system, the
// toolchains on its PATH, and the caches of modules that it builds with.
func readable(program string, v vars, host []string, exe string) []string {
	paths := systemPaths()
	dirs := append(searchPath(v.get("PATH")), filepath.Dir(program))
	if real, err := filepath.EvalSymlinks(program); err == nil {
		dirs = append(dirs, filepath.Dir(real))
	}
	if interpreter := shebang(program); interpreter != "" {
		dirs = append(dirs, filepath.Dir(interpreter))
		if real, err := filepath.EvalSymlinks(interpreter); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	for _, dir := range dirs {
		paths = append(paths, toolPaths(dir)...)
	}
	for _, root := range []string{v.get("GOROOT"), v.get("JAVA_HOME"), v.get("RUSTUP_HOME")} {
		if root != "" {
			paths = append(paths, parts(root)...)
		}
	}
	if cargo := v.get("CARGO_HOME"); cargo != "" {
		paths = append(paths, filepath.Join(cargo, "registry"), filepath.Join(cargo, "git"))
	}
	paths = append(paths, moduleCache(host))
	if v.get("GOCACHEPROG") != "" {
		paths = append(paths, exe, buildCache(host))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// toolPaths grants a folder of programs and the code beside it.
func toolPaths(dir string) []string {
	if underSystem(dir) || dir == string(filepath.Separator) {
		return nil
	}
	out := []string{dir}
	switch filepath.Base(dir) {
	case "bin", "sbin", "shims", "libexec":
		out = append(out, parts(filepath.Dir(dir))...)
	}
	return out
}

func parts(root string) []string {
	var out []string
	for _, part := range toolParts() {
		out = append(out, filepath.Join(root, part))
	}
	return out
}

func underSystem(dir string) bool {
	for _, sys := range []string{"/usr", "/bin", "/sbin", "/lib", "/nix/store", "/gnu/store"} {
		if dir == sys || strings.HasPrefix(dir, sys+"/") {
			return true
		}
	}
	return false
}

// find resolves argv[0] as a shell would, with the command's own PATH and
// folder instead of ours.
func find(name, dir, path string) (string, bool) {
	if strings.ContainsRune(name, filepath.Separator) || strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, executable(name)
	}
	for _, d := range searchPath(path) {
		for _, ext := range extensions() {
			if p := filepath.Join(d, name+ext); executable(p) {
				return p, true
			}
		}
	}
	return "", false
}

func extensions() []string {
	if runtime.GOOS == "windows" {
		return []string{"", ".exe", ".cmd", ".bat"}
	}
	return []string{""}
}

func executable(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && (fi.Mode()&0o111 != 0 || runtime.GOOS == "windows")
}

// shebang returns the interpreter that a script names by absolute path.
func shebang(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	line, err := bufio.NewReaderSize(f, 512).ReadSlice('\n')
	if err != nil || !strings.HasPrefix(string(line), "#!") {
		return ""
	}
	fields := strings.Fields(string(line[2:]))
	if len(fields) == 0 || !filepath.IsAbs(fields[0]) {
		return ""
	}
	return fields[0]
}
