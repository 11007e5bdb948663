package writ

// Plan is the Planner's structured result: what will be done, in which steps,
// and, for each step, the exact files it may write. The union of those files
// is the lock set.
type Plan struct {
	Summary string `json:"summary"`
	Steps   []Step `json:"steps"`
}

// Step is one part of a plan. Files are workspace-relative paths, never
// patterns; a step without files produces nothing and writes nothing.
type Step struct {
	ID           string     `json:"id"`
	Title        string     `json:"title"`
	Files        []string   `json:"files"`
	Detail       string     `json:"detail,omitempty"`
	DependsOn    []string   `json:"depends_on,omitempty"`
	Size         StepSize   `json:"size,omitempty"`
	Requirements []string   `json:"requirements,omitempty"`
	Status       StepStatus `json:"status"`
	Error        string     `json:"error,omitempty"` // why it failed or was skipped
	ErrorCode    Code       `json:"error_code,omitempty"`
	Attempts     int        `json:"attempts,omitempty"` // generations so far, over all rounds
	Timeout      bool       `json:"timeout,omitempty"`  // ended by step_timeout
	Refused      []string   `json:"refused,omitempty"`  // planned paths that the guard or a person took out
}

// StepSize lets a router send small steps to a small model.
type StepSize string

// The step sizes; an empty size is normal.
const (
	SizeSmall  StepSize = "small"
	SizeNormal StepSize = "normal"
)

// StepStatus is where a step stands.
type StepStatus string

// The step statuses.
const (
	StepPending StepStatus = "pending"
	StepDone    StepStatus = "done"
	StepFailed  StepStatus = "failed"
	StepSkipped StepStatus = "skipped"
)

// String returns the status as the contract writes it.
func (s StepStatus) String() string { return string(s) }

// Files returns every file that the plan names, in order, each once.
func (p *Plan) Files() []string {
	if p == nil {
		return nil
	}
	seen := make(map[string]bool)
	var files []string
	for _, s := range p.Steps {
		for _, f := range s.Files {
			if !seen[f] {
				seen[f] = true
				files = append(files, f)
			}
		}
	}
	return files
}
