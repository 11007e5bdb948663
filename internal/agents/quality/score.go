package quality

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/writ-dev/writ"
)

// The numbers of the formula.
const (
	Full             = 100
	EmptyPenalty     = 20 // per empty file
	TodoPenalty      = 5  // once, for marks of unfinished work
	CrowdedPenalty   = 5  // once, for a file with more than MaxFunctions functions
	LongPenalty      = 5  // once, for a file with more than MaxCharacters characters
	MaxFunctions     = 30
	MaxCharacters    = 50_000
	listedPerWarning = 5
)

// File is one produced file.
type File struct {
	Path    string
	Content []byte
}

// Score grades the files. Each deduction has a warning that names its files.
func Score(files []File) writ.Quality {
	q := writ.Quality{Score: Full, Warnings: []string{}}
	var empty, todo, crowded, long []string
	for _, f := range files {
		if len(bytes.TrimSpace(f.Content)) == 0 {
			empty = append(empty, f.Path)
			continue
		}
		if unfinished().Match(f.Content) {
			todo = append(todo, f.Path)
		}
		if functions(f) > MaxFunctions {
			crowded = append(crowded, f.Path)
		}
		if utf8.RuneCount(f.Content) > MaxCharacters {
			long = append(long, f.Path)
		}
	}
	deduct(&q, EmptyPenalty*len(empty), "empty", empty)
	deduct(&q, TodoPenalty*min(1, len(todo)), "TODO or FIXME in", todo)
	deduct(&q, CrowdedPenalty*min(1, len(crowded)), fmt.Sprintf("more than %d functions in", MaxFunctions), crowded)
	deduct(&q, LongPenalty*min(1, len(long)), fmt.Sprintf("more than %d characters in", MaxCharacters), long)
	q.Score = max(0, q.Score)
	return q
}

func deduct(q *writ.Quality, points int, what string, files []string) {
	if points == 0 {
		return
	}
	q.Score -= points
	shown := files
	if len(shown) > listedPerWarning {
		shown = shown[:listedPerWarning]
	}
	q.Warnings = append(q.Warnings, fmt.Sprintf("-%d: %s %s", points, what, strings.Join(shown, ", ")))
}

// unfinished matches the marks of unfinished work as words.
var unfinished = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`) })

// functionStart matches the beginning of a function, by language.
var functionStart = sync.OnceValue(func() map[string]*regexp.Regexp {
	js := regexp.MustCompile(`(?m)\bfunction\b|=>`)
	return map[string]*regexp.Regexp{
		".go": regexp.MustCompile(`(?m)^func\b`), ".py": regexp.MustCompile(`(?m)^\s*(async\s+)?def\s`),
		".js": js, ".jsx": js, ".ts": js, ".tsx": js, ".mjs": js, ".cjs": js,
		".rs":   regexp.MustCompile(`(?m)\bfn\s+\w+`),
		".java": regexp.MustCompile(`(?m)^\s*(public|private|protected|static|final|\s)+[\w<>\[\], ]+\s+\w+\s*\([^;]*\)\s*(throws [\w, ]+)?\{`),
	}
})

// functions counts the functions of a file; 0 where the language is not known.
func functions(f File) int {
	re := functionStart()[strings.ToLower(path.Ext(f.Path))]
	if re == nil {
		return 0
	}
	return len(re.FindAllIndex(f.Content, -1))
}
