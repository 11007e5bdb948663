package guard

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/writ-dev/writ"
)

// The bounds of a path, in bytes and components. They are what common file
// systems carry.
const (
	maxPath       = 4096
	maxComponent  = 255
	maxComponents = 100
)

func outside(p, msg string) *writ.Error {
	return &writ.Error{Code: writ.CodePathOutside, Path: p, Msg: Show(clip(p)) + " " + msg}
}

func invalid(p, msg, hint string) *writ.Error {
	return &writ.Error{Code: writ.CodePathInvalid, Path: p, Msg: Show(clip(p)) + " " + msg, Hint: hint}
}

// clip keeps a message to one readable line.
func clip(s string) string {
	if len(s) <= 120 {
		return s
	}
	return strings.ToValidUTF8(s[:100], "") + fmt.Sprintf("… (%d bytes)", len(s))
}

// lexical judges a path by its text alone and gives its plain relative form:
// "./a//b" is "a/b". p is relative; within is what absolute paths were told
// apart by before. Nothing is decoded: "%2e" is three characters.
func lexical(p string) (string, error) {
	if err := bounds(p); err != nil {
		return "", err
	}
	slashed := strings.ReplaceAll(p, `\`, "/")
	if err := climbs(p, slashed); err != nil {
		return "", err
	}
	if inGit(slashed) {
		return "", gitRefusal(p)
	}
	if strings.Contains(p, "..") {
		for part := range strings.SplitSeq(p, "/") {
			if part == ".." {
				return "", invalid(p, `climbs with ".."`, "name the file from the workspace's root: "+path.Clean(p))
			}
		}
	}
	if strings.Contains(p, `\`) {
		return "", invalid(p, "has a backslash", "separate folders with a slash: "+path.Clean(slashed))
	}
	var parts []string
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part == "." {
			continue
		}
		if why := badName(part); why != "" {
			return "", invalid(p, why, "")
		}
		parts = append(parts, part)
	}
	switch {
	case len(parts) == 0:
		return "", invalid(p, "names the workspace itself, not a file", "")
	case len(parts) > maxComponents:
		return "", invalid(p, fmt.Sprintf("has %d components, more than %d", len(parts), maxComponents), "")
	case strings.HasSuffix(p, "/"), strings.HasSuffix(p, "/."):
		return "", invalid(p, "names a folder", "name a file in it")
	}
	return strings.Join(parts, "/"), nil
}

// bounds refuses what is no text or no path of sensible size.
func bounds(p string) error {
	switch {
	case p == "":
		return &writ.Error{Code: writ.CodePathInvalid, Msg: "the path is empty"}
	case len(p) > maxPath:
		return invalid(p, fmt.Sprintf("is longer than %d bytes", maxPath), "")
	case !utf8.ValidString(p):
		return invalid(p, "is not UTF-8", "")
	}
	return nil
}

// climbs refuses what leads out of the workspace by its text: "..", a home
// folder, an address.
func climbs(p, slashed string) error {
	depth := 0
	for part := range strings.SplitSeq(slashed, "/") {
		switch part {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return outside(p, "leads out of the workspace")
			}
		default:
			depth++
		}
	}
	first, _, more := strings.Cut(p, "/")
	if first == "~" || more && homeOf(first) {
		return outside(p, "is in a home folder")
	}
	if scheme, _, ok := strings.Cut(p, "://"); ok && scheme != "" && !strings.Contains(scheme, "/") {
		return outside(p, "is an address, not a path of the workspace")
	}
	if strings.HasPrefix(strings.ToLower(p), "file:") {
		return outside(p, "is an address, not a path of the workspace")
	}
	return nil
}

// homeOf reports whether a shell would read the first component as "~user".
func homeOf(first string) bool {
	user, ok := strings.CutPrefix(first, "~")
	if !ok || user == "" {
		return ok
	}
	return strings.IndexFunc(user, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	}) < 0
}

func gitRefusal(p string) error {
	return &writ.Error{Code: writ.CodeProtectedPath, Path: p, Msg: Show(clip(p)) + " is git's own folder",
		Hint: "leave git's own folder alone; nobody can approve it"}
}

// badName says what is wrong with one component, or nothing. The rules hold on
// every system, so that a workspace stays portable.
func badName(name string) string {
	if len(name) > maxComponent {
		return fmt.Sprintf("has a name longer than %d bytes", maxComponent)
	}
	for _, r := range name {
		switch {
		case r == ':':
			return "has a colon, which is a drive or a stream on Windows"
		case unicode.IsControl(r):
			return "has a control character"
		case invisible(r):
			return fmt.Sprintf("has the invisible code point U+%04X", r)
		case r >= 0xF000 && r <= 0xF0FF:
			return "has a private code point that stands for a reserved character on Windows"
		}
	}
	last, _ := utf8.DecodeLastRuneInString(name)
	first, _ := utf8.DecodeRuneInString(name)
	switch {
	case last == '.':
		return "has a name that ends in a dot"
	case unicode.IsSpace(last):
		return "has a name that ends in a blank"
	case unicode.IsSpace(first):
		return "has a name that begins with a blank"
	case device(name):
		return "has the name of a Windows device"
	}
	return ""
}

// device reports whether Windows opens a device under the name, whatever its
// extension and case.
func device(name string) bool {
	base, _, _ := strings.Cut(strings.ToLower(name), ".")
	base = strings.TrimRight(base, " ")
	switch base {
	case "con", "prn", "aux", "nul", "conin$", "conout$", "clock$":
		return true
	}
	for _, port := range []string{"com", "lpt"} {
		if n, ok := strings.CutPrefix(base, port); ok && len([]rune(n)) == 1 && strings.Contains("0123456789¹²³", n) {
			return true
		}
	}
	return false
}

// shortName reports whether the name has the form that Windows gives to long
// names, such as SETTIN~1.JSO.
func shortName(name string) bool {
	base, ext, _ := strings.Cut(name, ".")
	if len(base) > 8 || len(ext) > 3 {
		return false
	}
	stem, digits, ok := strings.Cut(base, "~")
	return ok && stem != "" && digits != "" && strings.Trim(digits, "0123456789") == ""
}
