package guard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

// autoexec are paths that make another program run code, by the class of case
// that they stand for.
func autoexec() []struct{ name, path string } {
	return []struct{ name, path string }{
		{"autoexec-01/git hook", ".git/hooks/pre-commit"},
		{"autoexec-01/git hook in capitals", ".GIT/hooks/pre-commit"},
		{"autoexec-01/hook of a nested repository", "vendor/x/.git/hooks/post-merge"},
		{"autoexec-01/shared hooks", ".githooks/pre-push"},
		{"autoexec-03/husky", ".husky/pre-commit"},
		{"autoexec-03/husky in a package", "packages/a/.husky/post-merge"},
		{"autoexec-03/husky in capitals", ".Husky/pre-commit"},
		{"autoexec-03/pre-commit", ".pre-commit-config.yaml"},
		{"autoexec-03/lefthook", "lefthook.yml"},
		{"autoexec-05/submodules", ".gitmodules"},
		{"autoexec-05/submodules, other case", ".GitModules"},
		{"autoexec-05/attributes", "sub/.gitattributes"},
		{"autoexec-05/git settings", ".gitconfig"},
		{"autoexec-07/editor", ".vscode/settings.json"},
		{"autoexec-07/editor tasks with a long s", ".vſcode/tasks.json"},
		{"autoexec-07/editor below", "web/.idea/workspace.xml"},
		{"autoexec-07/editor project", "a.code-workspace"},
		{"autoexec-07/vim", ".nvim.lua"},
		{"autoexec-07/emacs", "src/.dir-locals.el"},
		{"autoexec-11/direnv", ".envrc"},
		{"autoexec-11/shell", ".bashrc"},
		{"autoexec-11/shell below", "home/.zshenv"},
		{"autoexec-11/tool versions", ".tool-versions"},
		{"autoexec-11/mise", "mise.toml"},
		{"autoexec-13/npm", ".npmrc"},
		{"autoexec-13/yarn", ".yarnrc.yml"},
		{"autoexec-13/yarn program", ".yarn/releases/yarn-4.cjs"},
		{"autoexec-13/pnpm", "packages/a/.pnpmfile.cjs"},
		{"autoexec-13/pip", "pip.conf"},
		{"autoexec-13/cargo", "crates/a/.cargo/config.toml"},
		{"autoexec-13/nuget", "NuGet.Config"},
		{"autoexec-13/gradle wrapper", "gradle/wrapper/gradle-wrapper.properties"},
		{"autoexec-15/site", "sitecustomize.py"},
		{"autoexec-15/user site", "src/usercustomize.py"},
		{"autoexec-15/path file", "boot.pth"},
		{"autoexec-17/workflow", ".github/workflows/ci.yml"},
		{"autoexec-17/workflow in capitals", ".GitHub/Workflows/CI.yml"},
		{"autoexec-17/action", ".github/actions/build/action.yml"},
		{"autoexec-17/gitlab", ".gitlab-ci.yml"},
		{"autoexec-17/jenkins", "ci/Jenkinsfile"},
		{"autoexec-17/circle", ".circleci/config.yml"},
		{"autoexec-17/azure", "azure-pipelines.yml"},
		{"autoexec-19/tool servers", ".mcp.json"},
		{"autoexec-19/tool servers in capitals", ".MCP.json"},
		{"autoexec-19/tool servers of another agent", ".amazonq/mcp.json"},
		{"autoexec-19/agent instructions", "AGENTS.md"},
		{"autoexec-19/agent instructions below", "docs/claude.md"},
		{"autoexec-19/agent rules", ".cursorrules"},
		{"autoexec-19/agent hooks", ".claude/settings.json"},
		{"autoexec-19/copilot", ".github/copilot-instructions.md"},
		{"autoexec-21/our configuration", "writ.yaml"},
		{"autoexec-21/our configuration in another case", "Writ.yaml"},
		{"autoexec-21/our rules", ".writ/rules/allow.yaml"},
		{"autoexec-21/our ignore file", ".writignore"},
		{"autoexec-21/a file like our temporary ones", ".writ-x.tmp"},
		{"autoexec-23/container", ".devcontainer/devcontainer.json"},
		{"autoexec-23/container script", ".devcontainer/post.sh"},
		{"autoexec-23/container at the root", ".devcontainer.json"},
		{"autoexec-25/desktop entry", "tools/run.desktop"},
		{"autoexec-25/shortcut", "docs/Read me.lnk"},
		{"autoexec-25/autorun", "autorun.inf"},
		{"autoexec-27/head of a bare repository", "sub/HEAD"},
	}
}

func TestAutoexecIsProtected(t *testing.T) {
	t.Parallel()
	for _, present := range []bool{false, true} {
		for _, tc := range autoexec() {
			name := tc.name + ", absent"
			if present {
				name = tc.name + ", present"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r, ws := workspace(t, nil)
				if present {
					put(t, ws, tc.path, "x\n")
				}
				g := &Guard{Root: r, Locks: NewLockSet(tc.path)}
				if pattern, ok := r.Protected(tc.path); !ok || pattern == "" {
					t.Errorf("Protected(%q) = %q, %v", tc.path, pattern, ok)
				}
				_, err := g.JudgeWrite(tc.path)
				wantCode(t, "JudgeWrite, locked", err, writ.CodeProtectedPath)
				_, err = g.JudgePlan(t.Context(), tc.path)
				wantCode(t, "JudgePlan", err, writ.CodeProtectedPath)
			})
		}
	}
}

func TestProjectFilesThatRunWhenBuiltArePlain(t *testing.T) {
	t.Parallel()
	r, _ := workspace(t, nil)
	for _, name := range []string{"package.json", "Makefile", "conftest.py", "build.gradle", "setup.py", "pyproject.toml", "Cargo.toml",
		"build.rs", "CMakeLists.txt", "webpack.config.js", "data.json", ".gitignore", "Dockerfile", "docker-compose.yml", ".eslintrc.json",
		"github/workflows.md", "src/git/hooks.go", "docs/agents.md.txt", "vscode/settings.json", "head.go", "config/settings.json", "rules.md", ".root/x.txt"} {
		if pattern, ok := r.Protected(name); ok {
			t.Errorf("%q is protected by %q", name, pattern)
		}
		if !r.Accepted(name) {
			t.Errorf("%q is not accepted", name)
		}
	}
}

func TestNobodyApproves(t *testing.T) {
	t.Parallel()
	r, _ := workspace(t, nil)
	always := func(string, string) bool { return true }
	for name, want := range map[string]bool{
		".git/config": true, "a/.GIT/hooks/x": true, "writ.yaml": true, "WRIT.YAML": true, "writ.yml": true, ".writ/rules/x.yaml": true, ".Writ/x.md": true,
		"AGENTS.md": false, ".github/workflows/ci.yml": false, "sub/writ.yaml": false, "a.go": false,
	} {
		if got := r.Forbidden(name); got != want {
			t.Errorf("Forbidden(%q) = %v", name, got)
		}
		g := &Guard{Root: r, Locks: NewLockSet(name), Grants: always}
		_, err := g.JudgeWrite(name)
		if (writ.CodeOf(err) == writ.CodeProtectedPath) != want {
			t.Errorf("JudgeWrite(%q) with every grant: %v", name, err)
		}
	}
}

func TestGrantBindsToContent(t *testing.T) {
	t.Parallel()
	r, ws := workspace(t, map[string]string{".npmrc": "save-exact=true\n"})
	seen := Hash([]byte("save-exact=true\n"))
	g := &Guard{Root: r, Locks: NewLockSet(".npmrc", ".envrc"), Grants: func(rel, sha string) bool {
		return rel == ".npmrc" && sha == seen || rel == ".envrc" && sha == ""
	}}
	for _, name := range []string{".npmrc", ".envrc"} {
		if _, err := g.JudgeWrite(name); err != nil {
			t.Errorf("JudgeWrite(%q): %v", name, err)
		}
		put(t, ws, name, "a byte more\n")
		_, err := g.JudgeWrite(name)
		wantCode(t, name+" after a byte changed", err, writ.CodeProtectedPath)
	}
}

func TestPatternsCanOnlyBeAdded(t *testing.T) {
	t.Parallel()
	p, err := NewPolicy(PolicyOptions{Protected: []string{"**/.env*", "secrets/**", "*.pem", "/only/top.txt", "./deploy/"}, FileNames: []string{"Spellbook", ".AGENTS.md", "AGENTS.md"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		".env": true, "sub/.env.local": true, ".ENV": true, "secrets/k.txt": true, "secrets/a/b": true, "tls.pem": true, "a/b/TLS.PEM": true,
		"only/top.txt": true, "x/only/top.txt": false, "deploy/a.sh": true, "x/deploy/a.sh": false, "mysecrets/k.txt": false, "AGENTS.md": true, ".vscode/x": true,
	} {
		if _, ok := p.Protected(name); ok != want {
			t.Errorf("Protected(%q) = %v", name, ok)
		}
	}
	if !p.Accepted("Spellbook") || p.Accepted("Potion") {
		t.Error("file_names does not decide")
	}
	for _, bad := range []string{"!AGENTS.md", "!**", "a[", "", "/", "../x", "a//b", `a\b`, "~/x", "C:/x"} {
		if _, err := NewPolicy(PolicyOptions{Protected: []string{bad}}); writ.CodeOf(err) != writ.CodeConfig {
			t.Errorf("protected %q: %v, want %s", bad, err, writ.CodeConfig)
		}
		if _, err := NewPolicy(PolicyOptions{FileNames: []string{bad}}); writ.CodeOf(err) != writ.CodeConfig {
			t.Errorf("file_names %q: %v, want %s", bad, err, writ.CodeConfig)
		}
	}
}

func TestSecretNames(t *testing.T) {
	t.Parallel()
	r, _ := workspace(t, nil)
	got := map[string]bool{}
	want := map[string]bool{
		".env": true, "sub/.env.local": true, ".ENV": true, "prod.env": true, "deploy/id_ed25519": true, "certs/server.pem": true, "tls.key": true,
		"k.p12": true, ".netrc": true, ".aws/credentials": true, "home/.kube/config": true, "credentials": true, "config/credentials.json": true,
		"terraform.tfstate": true, ".ssh/config": true, "secrets.yaml": true, ".git-credentials": true,
		".env.example": false, "a/.env.sample": false, ".env.template": false, ".env.production.example": false, "deploy/id_ed25519.pub": false,
		"config.yml": false, "src/credentials/form.ts": false, "locales/en/auth.json": false, "keys.go": false, "environment.ts": false, ".npmrc": false, "templates/secret.yaml": false,
	}
	for name := range want {
		got[name] = r.Secret(name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSecretsAreReadOnlyWhenPlanned(t *testing.T) {
	t.Parallel()
	r, _ := workspace(t, map[string]string{".env": "MODE=dev\n", "settings.txt": "-> .env", ".env.example": "MODE=\n", ".git/config": "x", "g": "-> .git/config"})
	g := &Guard{Root: r, Locks: NewLockSet()}
	for name, want := range map[string]writ.Code{
		".env": writ.CodeProtectedPath, "./.env": writ.CodeProtectedPath, "settings.txt": writ.CodeProtectedPath, ".env.example": "",
		"absent.txt": "", ".git/config": writ.CodeProtectedPath, "g": writ.CodeProtectedPath,
	} {
		_, err := g.JudgeRead(name)
		wantCode(t, "JudgeRead "+name, err, want)
	}
	g.Locks.Add(".env")
	if _, err := g.JudgeRead(".env"); err != nil {
		t.Errorf("planned: %v", err)
	}
}

func TestNewNamesNeedAnExtensionOrAPlaceOnTheList(t *testing.T) {
	t.Parallel()
	r, _ := workspace(t, map[string]string{"oddity": "", ".oddrc": ""})
	for name, want := range map[string]writ.Code{
		"Makefile": "", "docker/Dockerfile": "", "LICENSE-MIT": "", "bin/serve": "", "tools/scripts/build": "", ".gitignore": "", ".eslintrc.cjs": "", ".env.example": "",
		"a.b": "", "oddity": "", ".oddrc": "", "novelty": writ.CodePathInvalid, "-rf": writ.CodePathInvalid, ".novelty": writ.CodePathInvalid, "license/novelty": writ.CodePathInvalid,
		".novelty.json": writ.CodePathInvalid, "a/.hidden.py": writ.CodePathInvalid,
	} {
		g := &Guard{Root: r, Locks: NewLockSet(name)}
		_, err := g.JudgeWrite(name)
		wantCode(t, "JudgeWrite "+name, err, want)
	}
	_, err := (&Guard{Root: r, Locks: NewLockSet()}).JudgeWrite("novelty")
	wantCode(t, "an unlisted name outside the lock set", err, writ.CodeFileNotLocked)
}

func TestEachBuiltInLineMatches(t *testing.T) {
	t.Parallel()
	p, err := NewPolicy(PolicyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	example := strings.NewReplacer("**/", "a/", "*", "x", "?", "x")
	for _, list := range []struct {
		text string
		hit  func(string) bool
	}{
		{protectedList, func(rel string) bool { _, ok := p.Protected(rel); return ok }},
		{secretList, p.Secret},
		{nameList, p.Accepted},
	} {
		for line := range strings.Lines(list.text) {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' || line[0] == '!' {
				continue
			}
			rel := example.Replace(strings.TrimPrefix(line, "="))
			if strings.HasSuffix(rel, "/") {
				rel += "file"
			}
			if !list.hit(rel) || !list.hit(strings.ToUpper(rel)) {
				t.Errorf("the line %q does not match %q", line, rel)
			}
		}
	}
}

func BenchmarkNewPolicy(b *testing.B) {
	for b.Loop() {
		if _, err := NewPolicy(PolicyOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProtected(b *testing.B) {
	p, err := NewPolicy(PolicyOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p.Protected("internal/tools/guard/policy_test.go")
	}
}
