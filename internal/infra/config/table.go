package config

import "slices"

// table lists every setting. A license other than refuse stands only where a
// stricter value can be told from a looser one; the direction is the row's.
func table() []row {
	return slices.Concat(modelRows(), governanceRows(), commandRows(), otherRows())
}

func modelRows() []row {
	routes, roles := taskTypes(), agents()
	return []row{
		{key: "model.wire", kind: word, words: wires(), def: "openai"},
		{key: "model.base_url", kind: address},
		{key: "model.api_key_env", kind: variable},
		{key: "model.name", kind: text},
		{key: "model.small", kind: text},
		{key: "model.routes.*", kind: texts, names: routes},
		{key: "model.reviewer", kind: text},
		{key: "model.breaker.failures", kind: integer, min: 1, max: 1000, def: "5"},
		{key: "model.breaker.window", kind: span, min: 1, def: "60s"},
		{key: "model.breaker.cooldown", kind: span, def: "30s"},
		{key: "model.timeouts.first_byte", kind: span, min: 0.1, def: "60s"},
		{key: "model.timeouts.idle", kind: span, min: 0.1, def: "60s"},
		{key: "model.windows.*", kind: integer, min: 256, max: 1e9},
		{key: "model.roles.*.temperature", kind: number, max: 2, names: roles},
		{key: "model.roles.*.max_output_tokens", kind: integer, min: 1, max: 1e7, names: roles},
		{key: "providers.*.wire", kind: word, words: wires(), def: "openai"},
		{key: "providers.*.base_url", kind: address},
		{key: "providers.*.api_key_env", kind: variable},
	}
}

func governanceRows() []row {
	severities := []string{"CRITICAL", "HIGH", "MEDIUM", "LOW", "INFO"}
	return []row{
		{key: "governance.verify_retry_max", kind: integer, max: 100, def: "2", license: smaller},
		{key: "governance.generate_retry_max", kind: integer, max: 100, def: "3", license: smaller},
		{key: "governance.task_timeout", kind: span, min: 1, def: "600s", license: smaller},
		{key: "governance.step_timeout", kind: span, min: 1, def: "5m", license: smaller},
		{key: "governance.answer_timeout", kind: span, min: 1, def: "15m", license: smaller},
		{key: "governance.tokens.soft", kind: integer, min: 1, def: "150000", license: smaller},
		{key: "governance.tokens.hard", kind: integer, min: 1, def: "300000", license: smaller},
		{key: "governance.max_cost_usd", kind: number, def: "0", license: smaller, noLimit: true},
		{key: "governance.plan_approval", kind: word, words: []string{"never", "always"}, def: "never", license: later},
		{key: "governance.apply", kind: word, words: []string{"verified", "review", "never"}, def: "verified", license: later},
		{key: "governance.lock_extension.new", kind: word, words: []string{"planned_dirs", "ask", "deny"}, def: "planned_dirs", license: later},
		{key: "governance.lock_extension.existing", kind: word, words: []string{"ask", "deny"}, def: "ask", license: later},
		{key: "governance.lock_extension.max", kind: integer, max: 1000, def: "10", license: smaller},
		{key: "governance.require", kind: texts, words: []string{"files", "syntax", "scan", "commands", "tests", "review"}, def: "files,syntax,scan,commands", license: add},
		{key: "governance.fail_on", kind: word, words: severities, def: "CRITICAL", license: later},
		{key: "governance.auto_fix_up_to", kind: word, words: append(slices.Clone(severities), "none"), def: "CRITICAL", license: later},
		{key: "governance.quality_gate", kind: word, words: []string{"warn", "block"}, def: "warn", license: later},
		{key: "governance.quality_min", kind: integer, max: 100, def: "70", license: larger},
		{key: "governance.file_names", kind: texts},
		{key: "governance.protected", kind: texts, def: ".git/**,.writ/**,writ.yaml", license: add, grows: true},
	}
}

func commandRows() []row {
	return []row{
		{key: "sandbox.min_level", kind: word, words: []string{"auto", "0", "1", "2", "3"}, def: "auto", license: later},
		{key: "sandbox.memory", kind: size, min: 16 << 20, def: "2GiB", license: smaller},
		{key: "sandbox.processes", kind: integer, min: 1, max: 1e6, def: "256", license: smaller},
		{key: "sandbox.output", kind: size, min: 1 << 10, max: 1 << 30, def: "1MiB", license: smaller},
		{key: "commands", kind: declared},
	}
}

// commandFields are the settings of one declared command; their keys are not
// dotted. Run and phase have no default: a command says what it is.
func commandFields() []row {
	return []row{
		{key: "name", kind: text},
		{key: "run", kind: argv},
		{key: "phase", kind: word, words: phases()},
		{key: "timeout", kind: span, min: 0.1, max: 86400, def: "120s"},
		{key: "required", kind: boolean, def: "true"},
		{key: "dir", kind: text, def: "."},
		{key: "env", kind: variables},
		{key: "network", kind: word, words: networks(), def: "none"},
	}
}

func otherRows() []row {
	return []row{
		{key: "scan.rules", kind: texts, def: ".writ/rules/*.yaml", license: add, inside: true},
		{key: "mcp.servers.*.command", kind: argv},
		{key: "mcp.servers.*.url", kind: address},
		{key: "mcp.servers.*.env", kind: variables},
		{key: "mcp.servers.*.network", kind: word, words: networks(), def: "none"},
		{key: "mcp.servers.*.roles", kind: texts, words: agents(), def: "coder"},
		{key: "server.workspaces", kind: texts},
		{key: "delivery.remote", kind: text, def: "origin"},
		{key: "delivery.branch_prefix", kind: text, def: "writ/"},
		{key: "delivery.forge", kind: word, words: []string{"auto", "github", "gitlab", "gitea"}, def: "auto"},
		{key: "delivery.api_url", kind: address},
		{key: "delivery.token_env", kind: variable},
		{key: "retention.events", kind: span, def: "90d"},
		{key: "retention.episodes", kind: span, def: "90d"},
		{key: "store.url", kind: database},
	}
}

// roleDefaults are the settings of single agents that differ from "the
// agent's own".
func roleDefaults() map[string]string {
	return map[string]string{
		"model.roles.coder.temperature": "0.3", "model.roles.coder.max_output_tokens": "8192",
		"model.roles.planner.temperature": "0.1", "model.roles.planner.max_output_tokens": "8192",
	}
}

func wires() []string    { return []string{"openai", "anthropic"} }
func networks() []string { return []string{"none", "loopback", "full"} }
func phases() []string   { return []string{"build", "test", "lint", "deploy"} }
func taskTypes() []string {
	return []string{"simple_qa", "coding", "architecture", "deployment", "sdd"}
}

func agents() []string {
	return []string{"intent", "planner", "architect", "deployer", "coder", "tester", "reviewer", "devops", "qa", "memory"}
}
