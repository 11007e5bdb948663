package planner

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/writ-dev/writ"
)

// pathLike matches what looks like a file in a request: a name with an
// extension, perhaps below folders, or a well-known name without one.
var pathLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:[\w.@+-]+/)*(?:[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,7}|Makefile|Dockerfile|Jenkinsfile)\b`)
})

// Paths returns the paths that a request names, in order, each once. What is
// part of a URL or an address is left out.
func Paths(request string) []string {
	var out []string
	for _, m := range pathLike().FindAllStringIndex(request, -1) {
		before := request[:m[0]]
		if strings.HasSuffix(before, "/") || strings.HasSuffix(before, "@") || strings.HasSuffix(before, ":") {
			continue
		}
		p := strings.TrimPrefix(request[m[0]:m[1]], "./")
		if !domainLike(p) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// domainLike reports whether a name without a folder is more likely a host.
func domainLike(p string) bool {
	switch path.Ext(p) {
	case ".com", ".org", ".net", ".io", ".dev":
		return !strings.Contains(p, "/")
	default:
		return false
	}
}

// Rules makes a plan without a model: one step for each path that the request
// names, existing ones first, or one step without files that says what is
// missing. files are the workspace's.
func Rules(request string, files []string) *writ.Plan {
	var known, fresh []string
	for _, p := range Paths(request) {
		switch {
		case slices.Contains(files, p):
			known = append(known, p)
		case !strings.Contains(p, "/") && unique(files, p) != "":
			known = append(known, unique(files, p))
		default:
			fresh = append(fresh, p)
		}
	}
	plan := &writ.Plan{Summary: "Made by rules: the files that the request names."}
	for i, p := range append(known, fresh...) {
		plan.Steps = append(plan.Steps, writ.Step{
			ID: fmt.Sprintf("s%d", i+1), Title: "Do what was asked in " + p, Files: []string{p}, Detail: request,
			Size: writ.SizeNormal, Status: writ.StepPending,
		})
	}
	if len(plan.Steps) == 0 {
		plan.Steps = []writ.Step{{
			ID: "s1", Title: "Find the files that the request concerns", Files: []string{}, Size: writ.SizeNormal, Status: writ.StepPending,
			Detail: "The request names no file, and no model was there to look for one.",
		}}
	}
	return plan
}

// unique returns the one file with that base name, if there is only one.
func unique(files []string, base string) string {
	found := ""
	for _, f := range files {
		if path.Base(f) != base {
			continue
		}
		if found != "" {
			return ""
		}
		found = f
	}
	return found
}
