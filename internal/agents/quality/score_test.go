package quality

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestScore(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("func f() {}\n", 31)
	cases := []struct {
		name  string
		files []File
		want  writ.Quality
	}{
		{"nothing", nil, writ.Quality{Score: 100, Warnings: []string{}}},
		{"clean", []File{{"a.go", []byte("package a\n")}}, writ.Quality{Score: 100, Warnings: []string{}}},
		{"one empty", []File{{"a.go", nil}}, writ.Quality{Score: 80, Warnings: []string{"-20: empty a.go"}}},
		{"blank is empty", []File{{"a.py", []byte(" \n\t")}}, writ.Quality{Score: 80, Warnings: []string{"-20: empty a.py"}}},
		{"todo once for two files", []File{{"a.go", []byte("// TODO x")}, {"b.go", []byte("// FIXME y")}}, writ.Quality{Score: 95, Warnings: []string{"-5: TODO or FIXME in a.go, b.go"}}},
		{"a word that only contains it", []File{{"a.go", []byte("var TODOS int // mastodon")}}, writ.Quality{Score: 100, Warnings: []string{}}},
		{"31 functions", []File{{"a.go", []byte(many)}}, writ.Quality{Score: 95, Warnings: []string{"-5: more than 30 functions in a.go"}}},
		{"30 functions", []File{{"a.go", []byte(many[12:])}}, writ.Quality{Score: 100, Warnings: []string{}}},
		{"50,001 characters", []File{{"a.txt", []byte(strings.Repeat("ä", 50_001))}}, writ.Quality{Score: 95, Warnings: []string{"-5: more than 50000 characters in a.txt"}}},
		{"50,000 characters", []File{{"a.txt", []byte(strings.Repeat("ä", 50_000))}}, writ.Quality{Score: 100, Warnings: []string{}}},
		{"never below zero", []File{{"1", nil}, {"2", nil}, {"3", nil}, {"4", nil}, {"5", nil}, {"6", nil}}, writ.Quality{Score: 0, Warnings: []string{"-120: empty 1, 2, 3, 4, 5"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, Score(c.files)); d != "" {
				t.Error(d)
			}
		})
	}
}
