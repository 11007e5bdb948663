package config

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// kind is the type of a setting's value; the comment names its Go type.
type kind int

const (
	text      kind = iota // string, one line
	word                  // string, one of the row's words
	variable              // string, the name of an environment variable
	address               // string, an http or https URL without a password
	database              // string, a postgres URL without a password
	integer               // int64
	number                // float64
	span                  // Duration
	size                  // Size
	texts                 // []string; of the row's words where it has any
	argv                  // []string, not empty
	variables             // []string of names of environment variables
	boolean               // bool
	declared              // []Command
)

// license is what a repository that nobody trusts may do to a setting.
type license int

const (
	refuse  license = iota // nothing
	smaller                // lower the number
	larger                 // raise the number
	later                  // choose a word that stands later in the row's words
	add                    // lengthen the list
)

// row is one setting.
type row struct {
	key     string // dotted; a segment "*" is a name that the file chooses
	kind    kind
	def     string   // as the environment would write it; empty: none
	words   []string // the allowed words; for license later from loosest to strictest
	min     float64
	max     float64  // 0: no bound
	names   []string // what "*" may be; empty: any plain name
	license license
	inside  bool // paths, which an untrusted repository may name beneath its root only
	noLimit bool // 0 is no limit, so it counts as the largest number
	grows   bool // a higher level adds to the list and never replaces it
}

// path splits the key.
func (r *row) path() []string { return strings.Split(r.key, ".") }

// fromText reads a value as the environment and flags write it; lists are
// separated by commas. The error says what was wanted, without the key.
func (r *row) fromText(s string) (any, error) {
	switch r.kind {
	case text, word, variable, address, database:
		return r.checkText(s)
	case integer, number, span, size:
		return r.checkNumber(s)
	case texts, argv, variables:
		var list []string
		for _, item := range strings.Split(s, ",") {
			if item = strings.TrimSpace(item); item != "" {
				list = append(list, item)
			}
		}
		return r.checkList(list)
	case boolean:
		return r.checkBool(s)
	case declared:
		return nil, fmt.Errorf("can be set in a file only")
	}
	return nil, fmt.Errorf("has no known kind")
}

func (r *row) checkText(s string) (any, error) {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return nil, fmt.Errorf("holds a line break or a control character")
	}
	switch r.kind {
	case word:
		if !slices.Contains(r.words, s) {
			return nil, fmt.Errorf("%s is none of %s", show(s), strings.Join(r.words, ", "))
		}
	case variable:
		if s != "" && !isVariable(s) {
			return nil, fmt.Errorf("must name an environment variable (A-Z, 0-9, _) and never hold a key itself")
		}
	case address:
		if err := checkURL(s, "http", "https"); err != nil {
			return nil, err
		}
	case database:
		// A password is refused in a file only (fromNode): the environment is
		// where secrets live.
		if _, err := parseURL(s, "postgres", "postgresql"); err != nil {
			return nil, err
		}
	case text, integer, number, span, size, texts, argv, variables, boolean, declared:
	}
	return s, nil
}

func (r *row) checkBool(s string) (any, error) {
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, fmt.Errorf("%s is neither true nor false", show(s))
}

func (r *row) checkNumber(s string) (any, error) {
	var value any
	var size64 float64
	switch r.kind {
	case integer:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is not a whole number", show(s))
		}
		value, size64 = n, float64(n)
	case number:
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f != f || f > 1e15 || f < -1e15 {
			return nil, fmt.Errorf("%s is not a number", show(s))
		}
		value, size64 = f, f
	case span:
		d, err := ParseDuration(s)
		if err != nil {
			return nil, err
		}
		value, size64 = d, d.Std().Seconds()
	case size:
		n, err := ParseSize(s)
		if err != nil {
			return nil, err
		}
		value, size64 = n, float64(n)
	case text, word, variable, address, database, texts, argv, variables, boolean, declared:
		return nil, fmt.Errorf("is not a number")
	}
	if size64 < r.min || (r.max != 0 && size64 > r.max) {
		return nil, fmt.Errorf("%s is out of range: %s", s, r.bounds())
	}
	return value, nil
}

func (r *row) bounds() string {
	format := func(f float64) string {
		switch r.kind {
		case span:
			return Duration(f * 1e9).String()
		case size:
			return Size(f).String()
		case text, word, variable, address, database, integer, number, texts, argv, variables, boolean, declared:
		}
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	if r.max == 0 {
		return "at least " + format(r.min)
	}
	return format(r.min) + " to " + format(r.max)
}

func (r *row) checkList(list []string) (any, error) {
	if r.kind == argv && (len(list) == 0 || list[0] == "") {
		return nil, fmt.Errorf("names no program")
	}
	for _, item := range list {
		switch {
		case strings.ContainsRune(item, 0):
			return nil, fmt.Errorf("holds a NUL character")
		case r.kind != argv && (item == "" || strings.ContainsFunc(item, unicode.IsControl)):
			return nil, fmt.Errorf("holds an empty item or a control character")
		case r.kind == variables && !isName(item):
			return nil, fmt.Errorf("%s is no name of an environment variable", show(item))
		case len(r.words) > 0 && !slices.Contains(r.words, item):
			return nil, fmt.Errorf("%s is none of %s", show(item), strings.Join(r.words, ", "))
		}
	}
	return list, nil
}

// isVariable tells the name of a variable from a key that was pasted in its
// place. Cloud access keys are upper-case letters and digits too.
func isVariable(s string) bool {
	if len(s) > 100 || (len(s) == 20 && (strings.HasPrefix(s, "AKIA") || strings.HasPrefix(s, "ASIA"))) {
		return false
	}
	return isName(s) && s == strings.ToUpper(s)
}

func isName(s string) bool {
	for i, c := range s {
		letter := c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// parseURL reads a URL of one of the schemes; the empty text gives nil.
func parseURL(s string, schemes ...string) (*url.URL, error) {
	if s == "" {
		return nil, nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme) {
		return nil, fmt.Errorf("is no URL that begins with %s://", strings.Join(schemes, ":// or "))
	}
	return u, nil
}

// checkURL is parseURL for a place where a password has no business.
func checkURL(s string, schemes ...string) error {
	u, err := parseURL(s, schemes...)
	if err != nil || u == nil {
		return err
	}
	if _, ok := u.User.Password(); ok || u.Query().Has("password") {
		return fmt.Errorf("holds a password, which never stands in a configuration")
	}
	return nil
}

// show quotes a foreign word for an error, cut to a sane length.
func show(s string) string { return strconv.QuoteToASCII(clip(s)) }

func clip(s string) string {
	const limit = 80
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
