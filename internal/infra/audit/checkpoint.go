package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/audit/chain"
	"github.com/writ-dev/writ/internal/infra/store"
)

// signContext is part of every signed text, so that a signature of this key
// never fits a text made for another purpose.
const signContext = "writ.audit.checkpoint.1\n"

// maxCheckpoint bounds a checkpoint file: 20 MB name about 150,000 chains.
const maxCheckpoint = 20 << 20

// Signed is a checkpoint as it is kept in a file: a statement, exactly as it
// was signed, and its signature in hexadecimal.
type Signed struct {
	Body      string `json:"body"`
	Signature string `json:"signature"`
}

// statement is what a checkpoint says.
type statement struct {
	N     int64     `json:"n"`
	Time  time.Time `json:"time"`
	Prev  string    `json:"prev"` // hash of checkpoint n-1; empty for the first
	Key   string    `json:"key"`  // public, in hexadecimal
	Heads []head    `json:"heads"`
}

// head is the end of one chain.
type head struct {
	TaskID string `json:"task_id"`
	Seq    int64  `json:"seq"`
	Hash   string `json:"hash"`
}

// Checkpoint signs and stores the end of every chain that grew since the last
// one. When none did, nothing is stored. It is meant to be called at each
// task's end and every minute in a process that lives long.
func (l *Log) Checkpoint(ctx context.Context) error {
	key, err := l.ensureKey()
	if err != nil {
		return err
	}
	err = l.store.Write(ctx, func(tx *store.Tx) error {
		return tx.AddCheckpoint(func(n int64, at time.Time, prev *store.Checkpoint, due []store.Head) (string, string, error) {
			return sign(key, n, at, prev, due)
		})
	})
	if err != nil {
		return fmt.Errorf("checkpoint audit: %w", err)
	}
	return nil
}

// WriteCheckpoint writes the newest checkpoint to w, to be kept where nobody
// who can reach the store can reach it, and for [ReadCheckpoint].
func (l *Log) WriteCheckpoint(ctx context.Context, w io.Writer) error {
	var last *store.Checkpoint
	err := l.eachCheckpoint(ctx, func(c store.Checkpoint) error { last = &c; return nil })
	if err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	if last == nil {
		return &writ.Error{Code: writ.CodeStateIllegal, Op: "write checkpoint", Msg: "there is no checkpoint yet", Hint: "run a task first"}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(Signed{Body: last.Body, Signature: last.Signature}); err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	return nil
}

// ReadCheckpoint reads what WriteCheckpoint wrote. Anything else is a
// *writ.Error of code USAGE; whether the signature holds is for Verify to say.
func ReadCheckpoint(r io.Reader) (Signed, error) {
	refuse := func(why string) (Signed, error) {
		return Signed{}, &writ.Error{Code: writ.CodeUsage, Op: "read checkpoint", Msg: why, Hint: "name a file that holds an exported checkpoint"}
	}
	data, err := io.ReadAll(io.LimitReader(r, maxCheckpoint+1))
	if err != nil {
		return Signed{}, fmt.Errorf("read checkpoint: %w", err)
	}
	if len(data) > maxCheckpoint {
		return refuse("the file is too large for a checkpoint")
	}
	var s Signed
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil || dec.More() {
		return refuse("the file is not a checkpoint")
	}
	if _, err := s.statement(); err != nil {
		return refuse("the file is not a checkpoint")
	}
	return s, nil
}

// sign makes body and signature of the next checkpoint.
func sign(key ed25519.PrivateKey, n int64, at time.Time, prev *store.Checkpoint, due []store.Head) (body, signature string, err error) {
	s := statement{N: n, Time: at, Key: publicHex(key), Heads: make([]head, 0, len(due))}
	if prev != nil {
		s.Prev = hashOf(prev.Body, prev.Signature)
	}
	for _, h := range due {
		s.Heads = append(s.Heads, head{TaskID: h.TaskID, Seq: h.Seq, Hash: h.Hash})
	}
	data, err := json.Marshal(s)
	if err != nil {
		return "", "", fmt.Errorf("sign checkpoint: %w", err)
	}
	return string(data), hex.EncodeToString(ed25519.Sign(key, []byte(signContext+string(data)))), nil
}

// statement reads the body.
func (s Signed) statement() (statement, error) {
	var st statement
	if err := json.Unmarshal([]byte(s.Body), &st); err != nil {
		return statement{}, err
	}
	if st.N < 1 {
		return statement{}, fmt.Errorf("number %d", st.N)
	}
	return st, nil
}

// holds reports whether the signature is that of the key.
func (s Signed) holds(key ed25519.PublicKey) bool {
	sig, err := hex.DecodeString(s.Signature)
	return err == nil && ed25519.Verify(key, []byte(signContext+s.Body), sig)
}

// hashOf is what the next checkpoint carries of this one.
func hashOf(body, signature string) string { return chain.Sum([]byte(signature + "\n" + body)) }

func publicHex(key ed25519.PrivateKey) string {
	return hex.EncodeToString(key[ed25519.SeedSize:])
}

// eachCheckpoint calls fn for the stored checkpoints in order.
func (l *Log) eachCheckpoint(ctx context.Context, fn func(store.Checkpoint) error) error {
	return l.store.View(ctx, func(v *store.View) error { return checkpoints(v, fn) })
}

func checkpoints(v *store.View, fn func(store.Checkpoint) error) error {
	var after int64
	for {
		some, err := v.Checkpoints(after, page)
		if err != nil {
			return err
		}
		for _, c := range some {
			if err := fn(c); err != nil {
				return err
			}
			after = c.N
		}
		if len(some) < page {
			return nil
		}
	}
}
