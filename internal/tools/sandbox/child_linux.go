package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
)

// Child takes over the process when it was started as a part of the sandbox
// and reports whether it was; then the caller returns at once. The main of
// every binary that runs a [Sandbox], and TestMain of every test that does,
// calls it before anything else.
func Child(args []string) bool {
	if len(args) < 3 || args[1] != childArg {
		return childOfCache(args)
	}
	switch args[2] {
	case "warden":
		exit := warden()
		status := os.NewFile(statusFD, "status")
		// The parent reads what it can; there is nobody else to tell.
		_ = json.NewEncoder(status).Encode(exit)
		_ = status.Close()
	case "confine":
		// Returns only where the command could not be started.
		fmt.Fprint(os.NewFile(statusFD, "status"), confine())
		os.Exit(127)
	case "canary":
		_ = json.NewEncoder(os.Stdout).Encode(canary(args[3:]))
	}
	return true
}
