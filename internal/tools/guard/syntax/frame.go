package syntax

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/writ-dev/writ"
)

// A frame is a length of four bytes, the most significant first, and a
// payload. Both kinds of worker speak frames: requests to a worker of ours are
// the file's name, a line feed and its content, requests to python3 the content
// alone; answers are a reply as JSON.

// maxReply bounds what is read of a worker that went wild.
const maxReply = 64 << 10

var errTooLong = errors.New("frame is too long")

func writeFrame(w io.Writer, parts ...[]byte) error {
	total := 0
	for _, p := range parts {
		total += len(p)
	}
	frame := make([]byte, 4, 4+total)
	binary.BigEndian.PutUint32(frame, uint32(total))
	for _, p := range parts {
		frame = append(frame, p...)
	}
	_, err := w.Write(frame)
	return err
}

func readFrame(r io.Reader, limit int64) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if int64(n) > limit {
		return nil, errTooLong
	}
	payload := make([]byte, n)
	_, err := io.ReadFull(r, payload)
	return payload, err
}

// reply is a verdict on its way from a worker.
type reply struct {
	Verdict string `json:"verdict"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Checker string `json:"checker"`
}

func encodeReply(v writ.Syntax) ([]byte, error) {
	return json.Marshal(reply{Verdict: string(v.Verdict), Line: v.Line, Column: v.Column, Message: v.Message, Checker: v.Checker})
}

// decodeReply trusts a worker no further than the shape of a verdict: it just
// parsed a hostile file.
func decodeReply(payload []byte) (writ.Syntax, error) {
	var r reply
	if err := json.Unmarshal(payload, &r); err != nil {
		return writ.Syntax{}, fmt.Errorf("read the verdict: %w", err)
	}
	v := writ.Syntax{Verdict: writ.Verdict(r.Verdict), Line: max(0, r.Line), Column: max(0, r.Column), Message: oneLine(r.Message), Checker: oneLine(r.Checker)}
	switch v.Verdict {
	case writ.VerdictValid, writ.VerdictInvalid, writ.VerdictSuspect, writ.VerdictUnknown:
		return v, nil
	}
	return writ.Syntax{}, fmt.Errorf("read the verdict: %q is none", r.Verdict)
}
