package sandbox

import (
	"context"
	"io"
	"time"
)

// Backend runs one command at one level. Implementations are safe for
// concurrent use. A stronger sandbox is a further Backend; [Sandbox] takes the
// strongest whose canary comes back clean.
type Backend interface {
	// Level is what this backend promises, 0 to 3.
	Level() int
	// Note says what the walls are made of and what they leave open, in one
	// line, for people.
	Note() string
	// Run starts the command and returns once no process of it lives. Output is
	// written while it runs; the same writer given twice keeps the order of the
	// two streams. An error means that the backend could not do its work.
	Run(ctx context.Context, spec Spec, stdout, stderr io.Writer) (Exit, error)
}

// Spec is a job in the terms of the kernel: every path absolute, every limit
// set. It travels to the warden as JSON.
type Spec struct {
	Level     int           `json:"level"`
	Path      string        `json:"path"` // the program
	Argv      []string      `json:"argv"`
	Dir       string        `json:"dir"`
	Env       []string      `json:"env"`
	Read      []string      `json:"read"`  // files and folders to read and execute
	Write     []string      `json:"write"` // folders to write besides
	Network   Network       `json:"network"`
	Processes int           `json:"processes"`
	Memory    int64         `json:"memory"` // bytes
	Timeout   time.Duration `json:"timeout"`
	UID       int           `json:"uid"` // an unprivileged user to become; 0 keeps the present one
}

// Exit is how a run ended.
type Exit struct {
	Code      int    `json:"code"`                // 128 and the signal's number for a killed command
	TimedOut  bool   `json:"timed_out,omitempty"` // ended by Spec.Timeout
	Killed    string `json:"killed,omitempty"`    // the limit that ended it
	Unchecked string `json:"unchecked,omitempty"` // why it could not be started
	Orphans   int    `json:"orphans,omitempty"`   // processes left by the command, ended
}
