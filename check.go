package writ

// CheckStatus is the verdict of one verification.
type CheckStatus string

// The check statuses. CheckUnchecked applies and could not be run here; it
// never counts as passed.
const (
	CheckPassed    CheckStatus = "passed"
	CheckFailed    CheckStatus = "failed"
	CheckUnchecked CheckStatus = "unchecked"
)

// String returns the status as the contract writes it.
func (s CheckStatus) String() string { return string(s) }

// The names of the built-in checks; a declared command is "command." and its
// name.
const (
	CheckFiles   = "files"
	CheckSyntax  = "syntax"
	CheckScan    = "scan"
	CheckTests   = "tests"
	CheckReview  = "review"
	CheckAnswer  = "answer"
	CheckCommand = "command."
)

// Check is one result of the engine's own verification.
type Check struct {
	Name     string         `json:"name"`
	Status   CheckStatus    `json:"status"`
	Detail   string         `json:"detail"`
	Findings []Finding      `json:"findings"`
	Command  *CommandResult `json:"command,omitempty"`
	// Curable says that an edit could cure a check that did not pass. A missing
	// tool or a sandbox that cannot be built is not curable, so it starts no
	// repair.
	Curable bool `json:"-"`
}

// CommandResult is what running a declared command showed. Tests is nil where
// the counts cannot be read; then the exit code alone decides.
type CommandResult struct {
	Run          []string    `json:"run"`
	ExitCode     int         `json:"exit_code"`
	DurationMS   int64       `json:"duration_ms"`
	Tests        *TestCounts `json:"tests,omitempty"`
	SandboxLevel int         `json:"sandbox_level"`
	Output       string      `json:"output,omitempty"` // head and tail, redacted
}

// TestCounts are read from a test runner's own output.
type TestCounts struct {
	Run     int `json:"run"`
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Verification is the last round of checks and how often VERIFY was entered.
type Verification struct {
	Passed bool    `json:"passed"`
	Rounds int     `json:"rounds"`
	Checks []Check `json:"checks"`
	// Unchecked names the changed files whose kind has no checker here.
	Unchecked []string `json:"unchecked_files,omitempty"`
}

// Severity grades a finding.
type Severity string

// The severities, from least to most severe.
const (
	SeverityInfo     Severity = "INFO"
	SeverityLow      Severity = "LOW"
	SeverityMedium   Severity = "MEDIUM"
	SeverityHigh     Severity = "HIGH"
	SeverityCritical Severity = "CRITICAL"
)

// String returns the severity as the contract writes it.
func (s Severity) String() string { return string(s) }

// Rank orders severities: 0 for INFO to 4 for CRITICAL, -1 for an unknown one.
func (s Severity) Rank() int {
	for i, known := range []Severity{SeverityInfo, SeverityLow, SeverityMedium, SeverityHigh, SeverityCritical} {
		if s == known {
			return i
		}
	}
	return -1
}

// Finding is one result of a scanner or checker. Lines count from 1.
type Finding struct {
	Rule        string   `json:"rule"`
	Severity    Severity `json:"severity"`
	Path        string   `json:"path"`
	Line        int      `json:"line"`
	EndLine     int      `json:"end_line"`
	Message     string   `json:"message"`
	Fix         string   `json:"fix"`
	Fingerprint string   `json:"fingerprint"`
}

// Verdict is what a syntax checker says of one file.
type Verdict string

// The verdicts. Suspect asks for one repair and never blocks alone; unknown
// means that no checker for the kind of file is here.
const (
	VerdictValid   Verdict = "valid"
	VerdictInvalid Verdict = "invalid"
	VerdictSuspect Verdict = "suspect"
	VerdictUnknown Verdict = "unknown"
)

// String returns the verdict as the contract writes it.
func (v Verdict) String() string { return string(v) }

// Syntax is the verdict on one file with its place; line and column count
// from 1 and are 0 where the checker gives none.
type Syntax struct {
	Path    string  `json:"path"`
	Verdict Verdict `json:"verdict"`
	Line    int     `json:"line"`
	Column  int     `json:"column"`
	Message string  `json:"message"`
	Checker string  `json:"checker"`
}
