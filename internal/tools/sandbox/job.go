package sandbox

import (
	"fmt"
	"strconv"
	"time"

	writ "github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/sandbox/tree"
)

// Network says what a command may reach.
type Network string

// The networks. The zero value is taken as none.
const (
	NetworkNone     Network = "none"
	NetworkLoopback Network = "loopback"
	NetworkFull     Network = "full"
)

// String returns the network as the configuration writes it.
func (n Network) String() string { return string(n) }

// Command is one declared command.
type Command struct {
	Name     string
	Run      []string // argv; never handed to a shell
	Phase    string   // build, test, lint or deploy
	Timeout  time.Duration
	Required bool
	Dir      string   // inside the tree; empty is its root
	Env      []string // names of variables that pass the allow-list
	Network  Network
}

// Limits bound one run. A zero field takes its default.
type Limits struct {
	MemoryBytes int64 // resident memory of all processes together; 2 GiB
	OutputBytes int64 // kept of the output, head and tail together; 1 MiB
	Processes   int   // processes at one time; 256
	MinLevel    int   // below it a command is not run; 0 is "the best this machine has"
}

// ParseLevel reads a level as the configuration writes it: auto or 0 to 3.
func ParseLevel(s string) (int, error) {
	if s == "" || s == "auto" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 3 {
		return 0, &writ.Error{Code: writ.CodeConfig, Msg: fmt.Sprintf("sandbox level %q is none of auto, 0, 1, 2, 3", s)}
	}
	return n, nil
}

// Job is one run of one command.
type Job struct {
	// Tree is the folder with the materialised copy. The command may write in
	// it; the caller removes it.
	Tree    string
	Command Command
	Limits  Limits
	// Cache is a folder for build caches. A command can poison it, so it is
	// kept for the runs of one task and never longer; empty takes a fresh one
	// for this run alone.
	Cache string
	// Planned are the slash-separated paths of the lock set: what the command
	// writes there is told even inside a folder of by-products.
	Planned []string
	// Read lists more folders that the command may read, such as installed
	// dependencies that are no part of the tree.
	Read []string
}

// Result is what a run showed. Output of the embedded CommandResult is not
// redacted yet.
type Result struct {
	writ.CommandResult
	// Unchecked says why the sandbox could not run the command or could not let
	// it speak: a missing tool, a level below the minimum, a toolchain that the
	// tree demands and this machine lacks. Then the check is unchecked, never
	// failed.
	Unchecked string
	// TimedOut is set when the time limit ended the command.
	TimedOut bool
	// Killed says which limit ended the command; empty when none did.
	Killed string
	// Orphans counts the processes that the command left and that were ended.
	Orphans int
	// Failures are the failing tests and compile errors that could be read from
	// the output.
	Failures []writ.Finding
	// Left is what the command changed in the tree.
	Left tree.Diff
}

const (
	defaultTimeout   = 2 * time.Minute
	defaultMemory    = 2 << 30
	defaultOutput    = 1 << 20
	defaultProcesses = 256
)

// withDefaults fills in what the job leaves open.
func (j Job) withDefaults() Job {
	if j.Command.Timeout <= 0 {
		j.Command.Timeout = defaultTimeout
	}
	if j.Command.Network == "" {
		j.Command.Network = NetworkNone
	}
	if j.Limits.MemoryBytes <= 0 {
		j.Limits.MemoryBytes = defaultMemory
	}
	if j.Limits.OutputBytes <= 0 {
		j.Limits.OutputBytes = defaultOutput
	}
	if j.Limits.Processes <= 0 {
		j.Limits.Processes = defaultProcesses
	}
	return j
}
