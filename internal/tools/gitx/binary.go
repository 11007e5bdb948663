package gitx

import (
	"bytes"
	"compress/zlib"
	"fmt"
)

// binaryPatch writes both directions of a binary change as whole contents, so
// that the patch can be taken back too.
func binaryPatch(out *bytes.Buffer, old, new []byte) error {
	out.WriteString("GIT binary patch\n")
	for _, side := range [][]byte{new, old} {
		if err := literal(out, side); err != nil {
			return err
		}
	}
	return nil
}

// literal writes one content: deflated, in lines of at most 52 bytes, each
// begun by a letter for its length.
func literal(out *bytes.Buffer, content []byte) error {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(content); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	fmt.Fprintf(out, "literal %d\n", len(content))
	for data := packed.Bytes(); len(data) > 0; {
		n := min(52, len(data))
		length := byte('A' + n - 1)
		if n > 26 {
			length = byte('a' + n - 27)
		}
		out.WriteByte(length)
		base85(out, data[:n])
		out.WriteByte('\n')
		data = data[n:]
	}
	out.WriteByte('\n')
	return nil
}

// base85 writes four bytes as five letters, the last group filled with zeros.
func base85(out *bytes.Buffer, data []byte) {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
	for len(data) > 0 {
		var word uint32
		for i := range 4 {
			word <<= 8
			if i < len(data) {
				word |= uint32(data[i])
			}
		}
		var group [5]byte
		for i := 4; i >= 0; i-- {
			group[i] = letters[word%85]
			word /= 85
		}
		out.Write(group[:])
		data = data[min(4, len(data)):]
	}
}
