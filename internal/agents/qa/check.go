package qa

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/writ-dev/writ"
)

// cited matches a place in a file: a path with an extension and a line.
var cited = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:[\w.@+-]+/)*[\w.@+-]+\.[A-Za-z][A-Za-z0-9]{0,7}:\d+\b`)
})

// Check judges an answer: it must say something, and every place it cites by
// path and line must be a file of the workspace. A citation inside a URL is
// not one.
func Check(answer string, files []string) writ.Check {
	c := writ.Check{Name: writ.CheckAnswer, Status: writ.CheckPassed, Findings: []writ.Finding{}}
	if strings.TrimSpace(answer) == "" {
		c.Status, c.Detail = writ.CheckFailed, "the answer is empty"
		return c
	}
	var missing []string
	for _, m := range cited().FindAllStringIndex(answer, -1) {
		if m[0] > 0 && strings.ContainsRune("/@:", rune(answer[m[0]-1])) {
			continue
		}
		path := answer[m[0]:m[1]]
		path = strings.TrimPrefix(path[:strings.LastIndexByte(path, ':')], "./")
		if hostLike(path) {
			continue
		}
		if !slices.Contains(files, path) && !slices.Contains(missing, path) {
			missing = append(missing, path)
		}
	}
	if len(missing) > 0 {
		c.Status, c.Detail = writ.CheckFailed, "cites files that are not there: "+strings.Join(missing, ", ")
	}
	return c
}

// hostLike reports whether a name with a number behind it is rather a host and
// its port.
func hostLike(path string) bool {
	switch path[strings.LastIndexByte(path, '.')+1:] {
	case "com", "org", "net", "io", "dev", "local":
		return !strings.Contains(path, "/")
	default:
		return false
	}
}
