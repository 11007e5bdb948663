package config

// Config is the effective configuration. It is read-only once loaded and safe
// for concurrent use.
type Config struct {
	Model      Model               `yaml:"model"`
	Providers  map[string]Provider `yaml:"providers"` // more endpoints by name; a route names their models as name/model
	Governance Governance          `yaml:"governance"`
	Sandbox    Sandbox             `yaml:"sandbox"`
	Commands   []Command           `yaml:"commands"`
	Scan       Scan                `yaml:"scan"`
	MCP        MCP                 `yaml:"mcp"`
	Server     Server              `yaml:"server"`
	Delivery   Delivery            `yaml:"delivery"`
	Retention  Retention           `yaml:"retention"`
	Store      Store               `yaml:"store"`

	entries []Entry
}

// Model says which model server and models are used. An empty BaseURL and Name
// mean that no model is configured.
type Model struct {
	Wire      string              `yaml:"wire"` // openai or anthropic
	BaseURL   string              `yaml:"base_url"`
	APIKeyEnv string              `yaml:"api_key_env"` // the name of a variable
	Name      string              `yaml:"name"`
	Small     string              `yaml:"small"`  // for intent, qa and memory; empty: Name
	Routes    map[string][]string `yaml:"routes"` // by task type, first tried first
	Reviewer  string              `yaml:"reviewer"`
	Breaker   Breaker             `yaml:"breaker"`
	Timeouts  Timeouts            `yaml:"timeouts"`
	Windows   map[string]int      `yaml:"windows"` // tokens by model, where the catalogue does not know
	Roles     map[string]Role     `yaml:"roles"`   // by agent
}

// Breaker says when a failing target is left alone and for how long.
type Breaker struct {
	Failures int      `yaml:"failures"`
	Window   Duration `yaml:"window"`
	Cooldown Duration `yaml:"cooldown"`
}

// Timeouts bound one model call: the wait for the first byte, and the silence
// between two.
type Timeouts struct {
	FirstByte Duration `yaml:"first_byte"`
	Idle      Duration `yaml:"idle"`
}

// Role tunes the calls of one agent. A nil temperature and a zero
// MaxOutputTokens leave the agent's own.
type Role struct {
	Temperature     *float64 `yaml:"temperature"`
	MaxOutputTokens int      `yaml:"max_output_tokens"`
}

// Provider is one more endpoint beside model.base_url.
type Provider struct {
	Wire      string `yaml:"wire"`
	BaseURL   string `yaml:"base_url"`
	APIKeyEnv string `yaml:"api_key_env"`
}

// Governance holds the limits that a task works under. What its words mean
// stands in the contract; the constants of package writ name them.
type Governance struct {
	VerifyRetryMax   int           `yaml:"verify_retry_max"`
	GenerateRetryMax int           `yaml:"generate_retry_max"` // at least 1
	TaskTimeout      Duration      `yaml:"task_timeout"`
	StepTimeout      Duration      `yaml:"step_timeout"`
	AnswerTimeout    Duration      `yaml:"answer_timeout"` // while a foreground run waits
	Tokens           Tokens        `yaml:"tokens"`
	MaxCostUSD       float64       `yaml:"max_cost_usd"` // 0: no limit
	PlanApproval     string        `yaml:"plan_approval"`
	Apply            string        `yaml:"apply"`
	LockExtension    LockExtension `yaml:"lock_extension"`
	Require          []string      `yaml:"require"`
	FailOn           string        `yaml:"fail_on"`        // a severity
	AutoFixUpTo      string        `yaml:"auto_fix_up_to"` // a severity, or none
	QualityGate      string        `yaml:"quality_gate"`
	QualityMin       int           `yaml:"quality_min"`
	FileNames        []string      `yaml:"file_names"`
	Protected        []string      `yaml:"protected"` // what lengthens the guard's built-in list
}

// Tokens are the budgets of one task, input and output together.
type Tokens struct {
	Soft int64 `yaml:"soft"`
	Hard int64 `yaml:"hard"`
}

// LockExtension says how a task's lock set may grow: by new and by existing
// files, and by how many in all.
type LockExtension struct {
	New      string `yaml:"new"`      // planned_dirs, ask or deny
	Existing string `yaml:"existing"` // ask or deny
	Max      int    `yaml:"max"`
}

// Sandbox bounds declared commands.
type Sandbox struct {
	MinLevel  string `yaml:"min_level"` // auto, or 0 to 3
	Memory    Size   `yaml:"memory"`
	Processes int    `yaml:"processes"`
	Output    Size   `yaml:"output"`
}

// Command is one declared command: an argument list, never text for a shell.
type Command struct {
	Name     string   `yaml:"name" json:"name"`
	Run      []string `yaml:"run" json:"run"`
	Phase    string   `yaml:"phase" json:"phase"` // build, test, lint or deploy
	Timeout  Duration `yaml:"timeout" json:"timeout"`
	Required bool     `yaml:"required" json:"required"` // its failing fails the verification
	Dir      string   `yaml:"dir" json:"dir"`           // inside the workspace, slash-separated
	Env      []string `yaml:"env" json:"env"`           // names of variables that are passed on
	Network  string   `yaml:"network" json:"network"`   // none, loopback or full
}

// Scan names more rules: glob patterns, relative to the workspace.
type Scan struct {
	Rules []string `yaml:"rules"`
}

// MCP holds the tool servers by name.
type MCP struct {
	Servers map[string]MCPServer `yaml:"servers"`
}

// MCPServer is started by its command, or reached at its URL; exactly one of
// them is set.
type MCPServer struct {
	Command []string `yaml:"command"`
	URL     string   `yaml:"url"`
	Env     []string `yaml:"env"`
	Network string   `yaml:"network"`
	Roles   []string `yaml:"roles"`
}

// Server names the roots that writ serve may open; none: the current directory.
type Server struct {
	Workspaces []string `yaml:"workspaces"`
}

// Delivery says where finished work goes.
type Delivery struct {
	Remote       string `yaml:"remote"`
	BranchPrefix string `yaml:"branch_prefix"`
	Forge        string `yaml:"forge"` // auto, github, gitlab or gitea
	APIURL       string `yaml:"api_url"`
	TokenEnv     string `yaml:"token_env"` // the name of a variable
}

// Retention bounds how long payloads are kept. The audit chain stays.
type Retention struct {
	Events   Duration `yaml:"events"`
	Episodes Duration `yaml:"episodes"`
}

// Store is empty for the embedded store, or a postgres:// URL.
type Store struct {
	URL string `yaml:"url"`
}

// Entry is one effective value with its key and the level it comes from.
// Value is what encoding/json and fmt print readably, with passwords in URLs
// masked.
type Entry struct {
	Key    string
	Value  any
	Origin string
}

// Entries lists every effective value, sorted by key. The slice is a copy.
func (c *Config) Entries() []Entry { return append([]Entry(nil), c.entries...) }
