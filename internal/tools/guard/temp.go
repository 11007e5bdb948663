package guard

import (
	"crypto/rand"
	"path"
	"strings"
)

// The name of a temporary file tells what it is, so that whatever a kill
// leaves can be judged later: .writ-KIND BASE NEW TOKEN-NAME.tmp, where BASE
// and NEW begin the hashes of the content that is replaced and of ours, and
// NAME is the file it stands beside.
const (
	tempPrefix = ".writ-"
	tempSuffix = ".tmp"
	hashDigits = 16
	tokenSize  = 8
)

// The kinds of temporary file.
const (
	tempWriting = 'w' // ours, perhaps cut
	tempSwap    = 's' // ours before the exchange, the old content after it
	tempDelete  = 'd' // the content of a file that is being removed
)

type temp struct {
	kind      byte
	base, new string // the first hexadecimal digits
	token     string
	name      string // empty where it did not fit
}

func newTemp(kind byte, base, after, name string) temp {
	t := temp{kind: kind, base: digits(base), new: digits(after), token: strings.ToLower(rand.Text()[:tokenSize]), name: name}
	if len(t.String()) > maxComponent {
		t.name = ""
	}
	return t
}

// digits begins a hash; that of an absent file is zeros.
func digits(sum string) string {
	if len(sum) < hashDigits {
		return strings.Repeat("0", hashDigits)
	}
	return sum[:hashDigits]
}

// String is the file name.
func (t temp) String() string {
	return tempPrefix + string(t.kind) + t.base + t.new + t.token + "-" + t.name + tempSuffix
}

// as is the same temporary file under another kind.
func (t temp) as(kind byte) temp {
	t.kind = kind
	return t
}

// parseTemp reads a name that String made.
func parseTemp(name string) (temp, bool) {
	body, ok := strings.CutPrefix(name, tempPrefix)
	if ok {
		body, ok = strings.CutSuffix(body, tempSuffix)
	}
	const fixed = 1 + 2*hashDigits + tokenSize
	if !ok || len(body) <= fixed || body[fixed] != '-' || !strings.ContainsRune("wsd", rune(body[0])) {
		return temp{}, false
	}
	for _, c := range body[1 : 1+2*hashDigits] {
		if !strings.ContainsRune("0123456789abcdef", c) {
			return temp{}, false
		}
	}
	return temp{kind: body[0], base: body[1 : 1+hashDigits], new: body[1+hashDigits : 1+2*hashDigits],
		token: body[1+2*hashDigits : fixed], name: body[fixed+1:]}, true
}

// IsTemp reports whether a path is one of our temporary files, which no list
// of files shows.
func IsTemp(rel string) bool {
	_, ok := parseTemp(path.Base(rel))
	return ok
}
