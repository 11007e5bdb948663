package wire

import "runtime"

// guards says what each guard does on this system, and what it lacks.
func guards() []GuardVerdict {
	swap := "exchanges the file and compares what came out, so an edit made meanwhile is never lost"
	confine := "Landlock, seccomp and limits where the kernel has them"
	if runtime.GOOS != "linux" {
		swap = "renames over the file after a last comparison; an edit in the microseconds between is lost"
		confine = "limits, an own process group and an environment allow-list only (level 0)"
	}
	return []GuardVerdict{
		{"paths", "os.Root and the name policy of every system"},
		{"lock set", "every write by an agent is checked"},
		{"apply", swap},
		{"syntax", "in a child process with a deadline"},
		{"commands", confine},
	}
}
