package writ

// Pipeline is a task type's chain of agents as data: stages run in order, the
// agents of one stage side by side.
type Pipeline struct {
	ID     string            `json:"id"`
	Type   TaskType          `json:"type"`
	Stages []Stage           `json:"stages"`
	Config map[string]string `json:"config,omitempty"` // reaches every agent of the pipeline
}

// Stage is one part of a pipeline. Gate names the checks that must pass before
// the next stage begins; empty for none.
type Stage struct {
	Phase  Phase    `json:"phase"`
	Agents []string `json:"agents"`
	Gate   []string `json:"gate,omitempty"`
}
