package count

import (
	"unicode"
	"unicode/utf8"

	"github.com/writ-dev/writ"
)

// Overheads in tokens: the role marks around a message, and what the servers'
// templates put around a tool's definition.
const (
	perMessage = 4
	perTool    = 8
)

// Estimate is the number of tokens of a text before any model's factor.
func Estimate(text string) int64 {
	var tenths int64 // of a token
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case letter(c):
			n := word(text[i:])
			tenths += wordCost(n)
			i += n
		case c >= '0' && c <= '9':
			n := run(text[i:], func(b byte) bool { return b >= '0' && b <= '9' })
			tenths += 10 * int64((n+2)/3) // three digits are one token
			i += n
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			n := run(text[i:], func(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' })
			if n > 1 || c != ' ' { // a single blank belongs to the next word
				tenths += 10
			}
			i += n
		case c < utf8.RuneSelf:
			n := run(text[i:], punctuation)
			tenths += punctuationCost(text[i : i+n])
			i += n
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			tenths += runeCost(r)
			i += n
		}
	}
	return (tenths + 9) / 10
}

// EstimateRequest is the number of prompt tokens of a request before any
// model's factor: messages, the calls in them, and tool definitions.
func EstimateRequest(req *writ.Request) int64 {
	var sum int64
	for _, m := range req.Messages {
		sum += perMessage + Estimate(m.Content) + Estimate(m.Name)
		for _, c := range m.Calls {
			sum += perMessage + Estimate(c.Name) + Estimate(string(c.Args))
		}
	}
	for _, t := range req.Tools {
		sum += perTool + Estimate(t.Name) + Estimate(t.Description) + Estimate(string(t.Schema))
	}
	return sum
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func punctuation(c byte) bool {
	return c < utf8.RuneSelf && !letter(c) && (c < '0' || c > '9') && c != ' ' && c != '\t' && c != '\n' && c != '\r'
}

func run(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

// word is the length of the word that s begins with. A capital after a small
// letter begins another one, as in camelCase.
func word(s string) int {
	n := 1
	for n < len(s) && letter(s[n]) && (s[n]&0x20 != 0 || s[n-1]&0x20 == 0) {
		n++
	}
	return n
}

// wordCost is in tenths: common words are one token, long ones are cut.
func wordCost(n int) int64 {
	switch {
	case n <= 5:
		return 10
	case n <= 10:
		return 12
	default:
		return 12 + int64(n-10)*5/2
	}
}

// punctuationCost is in tenths: pairs such as "()" or "//" are often one token,
// a single mark often belongs to the word behind it, and a long run of one
// character is a few.
func punctuationCost(s string) int64 {
	same := 1
	for same < len(s) && s[same] == s[0] {
		same++
	}
	if same == len(s) && len(s) >= 8 {
		return 10 + int64(len(s)/16)*10
	}
	return 8 + int64(len(s)-1)*4
}

// runeCost is in tenths, for characters beyond ASCII.
func runeCost(r rune) int64 {
	switch {
	case unicode.In(r, unicode.Han):
		return 8
	case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return 7
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 3
	case r >= 0x1f000: // emoji
		return 20
	default:
		return 10
	}
}
