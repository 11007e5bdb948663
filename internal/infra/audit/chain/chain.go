package chain

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// format names the encoding below. It is part of what is hashed: a later
// encoding gets another name, and rows of both can stand in one store.
const format = "writ.audit.row.1"

// Genesis is the previous hash of the first row of every task.
const Genesis = ""

// Row is what one link of the chain covers besides the link before it.
type Row struct {
	Seq        int64  // from 1 within the task
	TimeMS     int64  // Unix milliseconds
	TaskID     string // the task whose chain this is
	Type       string // the event type
	Agent      string // empty for the engine itself
	DataSHA256 string // of the exact payload bytes, in hexadecimal
}

// Hash binds a row to the hash of the row before it and returns the row's own
// hash in hexadecimal.
func Hash(prev string, r Row) string {
	h := sha256.New()
	buf := make([]byte, 0, 512)
	for _, s := range []string{format, prev, r.TaskID, r.Type, r.Agent, r.DataSHA256} {
		buf = binary.BigEndian.AppendUint64(buf, uint64(len(s)))
		buf = append(buf, s...)
	}
	buf = binary.BigEndian.AppendUint64(buf, uint64(r.Seq))
	buf = binary.BigEndian.AppendUint64(buf, uint64(r.TimeMS))
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))
}

// Sum is the SHA-256 of a payload in hexadecimal.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
