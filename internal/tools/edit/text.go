package edit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
)

// Encoding is how a text is stored.
type Encoding string

// The encodings. UTF-16 is recognised by its byte order mark only. The 8-bit
// ones are taken for what is not UTF-8 and holds no control characters: with
// Windows1252 where bytes of 0x80 to 0x9F occur, which ISO 8859-1 lacks. Which
// 8-bit encoding was really meant nobody can tell; the choice matters only for
// how characters look, since all bytes are kept.
const (
	UTF8        Encoding = "UTF-8"
	UTF16LE     Encoding = "UTF-16LE"
	UTF16BE     Encoding = "UTF-16BE"
	Latin1      Encoding = "ISO-8859-1"
	Windows1252 Encoding = "windows-1252"
	// Mixed is UTF-8 with stray bytes. Each byte is shown as a character of
	// ISO 8859-1, and only ASCII can be written.
	Mixed Encoding = "UTF-8 with invalid bytes"
)

// Text is a decoded file. Body has no byte order mark and keeps its line ends.
type Text struct {
	Body     string
	Encoding Encoding
	BOM      bool
}

const (
	bomUTF8    = "\xef\xbb\xbf"
	bomUTF16LE = "\xff\xfe"
	bomUTF16BE = "\xfe\xff"
)

// Decode reads a file as text, in a way that Encode can take back byte for
// byte. It is BINARY_FILE where there is no such way.
func Decode(path string, content []byte) (Text, error) {
	text, ok := decode(content)
	if !ok {
		return Text{}, &writ.Error{
			Code: writ.CodeBinaryFile,
			Path: path,
			Msg:  fmt.Sprintf("%s is a binary file of %d bytes", show.Line(path), len(content)),
		}
	}
	return text, nil
}

func decode(content []byte) (Text, bool) {
	switch {
	case bytes.HasPrefix(content, []byte(bomUTF16LE)):
		return decodeUTF16(content[2:], UTF16LE)
	case bytes.HasPrefix(content, []byte(bomUTF16BE)):
		return decodeUTF16(content[2:], UTF16BE)
	case bytes.IndexByte(content, 0) >= 0:
		return Text{}, false
	case utf8.Valid(content):
		body, bom := strings.CutPrefix(string(content), bomUTF8)
		return Text{Body: body, Encoding: UTF8, BOM: bom}, true
	default:
		return decode8Bit(content)
	}
}

func decodeUTF16(content []byte, encoding Encoding) (Text, bool) {
	if len(content)%2 != 0 {
		return Text{}, false
	}
	units := make([]uint16, 0, len(content)/2)
	for i := 0; i < len(content); i += 2 {
		low, high := content[i], content[i+1]
		if encoding == UTF16BE {
			low, high = high, low
		}
		units = append(units, uint16(low)|uint16(high)<<8)
	}
	text := Text{Body: string(utf16.Decode(units)), Encoding: encoding, BOM: true}
	if strings.ContainsRune(text.Body, 0) {
		return Text{}, false
	}
	// Half of a surrogate pair decodes to U+FFFD and would not come back.
	back, err := text.Encode(text.Body)
	return text, err == nil && bytes.Equal(back[2:], content)
}

func decode8Bit(content []byte) (Text, bool) {
	encoding := Latin1
	for _, c := range content {
		switch {
		case c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f', c == 0x7f:
			return Text{}, false
		case c >= 0x80 && c < 0xa0:
			encoding = Windows1252
		default:
		}
	}
	if hasMultibyte(content) {
		encoding = Mixed
	}
	var body strings.Builder
	for _, c := range content {
		r := rune(c)
		if encoding == Windows1252 && c >= 0x80 && c < 0xa0 {
			if r = windows1252()[c-0x80]; r == 0 {
				return Text{}, false
			}
		}
		body.WriteRune(r)
	}
	return Text{Body: body.String(), Encoding: encoding}, true
}

// hasMultibyte finds a whole UTF-8 character beyond ASCII, which a text in an
// 8-bit encoding hardly ever contains by accident.
func hasMultibyte(content []byte) bool {
	for len(content) > 0 {
		r, size := utf8.DecodeRune(content)
		if size > 1 && r != utf8.RuneError {
			return true
		}
		content = content[size:]
	}
	return false
}

// Encode stores body as t is stored: with its byte order mark and in its
// encoding. The error names a character that the encoding lacks.
func (t Text) Encode(body string) ([]byte, error) {
	switch t.Encoding {
	case UTF16LE, UTF16BE:
		return encodeUTF16(body, t.Encoding), nil
	case Latin1, Windows1252, Mixed:
		return encode8Bit(body, t.Encoding)
	case UTF8:
		if t.BOM {
			return []byte(bomUTF8 + body), nil
		}
		return []byte(body), nil
	default:
		return nil, fmt.Errorf("encode text: unknown encoding %q", t.Encoding)
	}
}

// takes reports whether new text can be stored in t's encoding. Into a text
// with stray bytes only ASCII can be written: for anything else one of two
// encodings would have to be chosen.
func (t Text) takes(text string) error {
	if t.Encoding == Mixed {
		if i := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
			return fmt.Errorf("the file is stored as %s, so only ASCII can be put into it", t.Encoding)
		}
		return nil
	}
	_, err := t.Encode(text)
	return err
}

func encodeUTF16(body string, encoding Encoding) []byte {
	units := utf16.Encode([]rune(body))
	out := make([]byte, 0, 2*len(units)+2)
	for _, unit := range append([]uint16{0xfeff}, units...) {
		if encoding == UTF16LE {
			out = append(out, byte(unit), byte(unit>>8))
		} else {
			out = append(out, byte(unit>>8), byte(unit))
		}
	}
	return out
}

func encode8Bit(body string, encoding Encoding) ([]byte, error) {
	out := make([]byte, 0, len(body))
	for _, r := range body {
		c, ok := to8Bit(r, encoding)
		if !ok {
			return nil, fmt.Errorf("the file is stored as %s, which has no %q", encoding, r)
		}
		out = append(out, c)
	}
	return out, nil
}

func to8Bit(r rune, encoding Encoding) (byte, bool) {
	if encoding == Windows1252 {
		for i, known := range windows1252() {
			if known == r && r != 0 {
				return byte(0x80 + i), true
			}
		}
		if r >= 0x80 && r < 0xa0 {
			return 0, false
		}
	}
	return byte(r), r < 0x100
}

// windows1252 maps 0x80 to 0x9F, from the WHATWG Encoding Standard's index;
// the five bytes that Windows leaves undefined are 0.
func windows1252() [32]rune {
	return [32]rune{
		'€', 0, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0, 'Ž', 0,
		0, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0, 'ž', 'Ÿ',
	}
}
