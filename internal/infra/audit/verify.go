package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/writ-dev/writ/internal/infra/audit/chain"
	"github.com/writ-dev/writ/internal/infra/store"
)

// Result is what a verification found. BrokenAt is nil when everything holds;
// else it names the first place that does not, as TASK/SEQ or checkpoint/N,
// and Detail says what is wrong there.
type Result struct {
	OK          bool    `json:"ok"`
	Rows        int64   `json:"rows"` // read until the end or the break
	BrokenAt    *string `json:"broken_at"`
	Detail      string  `json:"detail,omitempty"`
	Erased      int64   `json:"erased,omitempty"` // rows whose payload retention removed
	Checkpoints int64   `json:"checkpoints,omitempty"`
}

// Verify checks every row and every checkpoint of the store, and, where
// external is not nil, that the store still is what that checkpoint says. The
// error is for a store or key that cannot be read; a broken chain is a Result.
func (l *Log) Verify(ctx context.Context, external *Signed) (Result, error) {
	key, err := l.loadKey()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Result{}, err
	}
	v := &verifier{claims: map[string]map[int64]claim{}, checked: map[string]int64{}, heads: map[string]store.Head{}, external: external}
	if key != nil {
		v.key = ed25519.PublicKey(key[ed25519.SeedSize:])
	}
	err = l.store.View(ctx, v.run)
	var b *breakError
	if errors.As(err, &b) {
		v.result.BrokenAt, v.result.Detail = &b.at, b.detail
		return v.result, nil
	}
	if err != nil {
		return Result{}, fmt.Errorf("verify audit: %w", err)
	}
	v.result.OK = true
	return v.result, nil
}

// breakError is the first thing found wrong.
type breakError struct{ at, detail string }

func (e *breakError) Error() string { return e.at + ": " + e.detail }

func brokenRow(task string, seq int64, format string, args ...any) error {
	return &breakError{at: fmt.Sprintf("%s/%d", task, seq), detail: fmt.Sprintf(format, args...)}
}

func brokenCheckpoint(n int64, format string, args ...any) error {
	return &breakError{at: fmt.Sprintf("checkpoint/%d", n), detail: fmt.Sprintf(format, args...)}
}

// claim is what a checkpoint says of one row.
type claim struct {
	hash string
	n    int64
}

// verifier walks the checkpoints, then the rows.
type verifier struct {
	key      ed25519.PublicKey // nil when there is no key file
	external *Signed

	claims  map[string]map[int64]claim // by task and number; met ones are removed
	checked map[string]int64           // the last number that a checkpoint covers
	heads   map[string]store.Head      // tasks whose end was not reached yet
	task    string                     // the chain being walked
	seq     int64                      // its last row
	hash    string                     // and that row's hash
	result  Result
}

func (v *verifier) run(view *store.View) error {
	if err := v.checkpoints(view); err != nil {
		return err
	}
	heads, err := view.Heads()
	if err != nil {
		return err
	}
	for _, h := range heads {
		v.heads[h.TaskID] = h
	}
	if err := v.rows(view); err != nil {
		return err
	}
	for _, h := range heads { // what is left has no row at all
		if _, open := v.heads[h.TaskID]; open {
			v.task, v.seq, v.hash = h.TaskID, 0, chain.Genesis
			if err := v.end(); err != nil {
				return err
			}
		}
	}
	for _, task := range slices.Sorted(maps.Keys(v.claims)) {
		if err := v.unmet(task); err != nil {
			return err
		}
	}
	return nil
}

// unmet reports the first row of a task that a checkpoint covers and nobody
// found.
func (v *verifier) unmet(task string) error {
	for _, seq := range slices.Sorted(maps.Keys(v.claims[task])) {
		return brokenRow(task, seq, "the row is gone, which checkpoint %d covers", v.claims[task][seq].n)
	}
	return nil
}

// checkpoints checks numbers, links and signatures, and collects the claims.
func (v *verifier) checkpoints(view *store.View) error {
	var last int64
	prev, found := "", v.external == nil
	err := checkpoints(view, func(c store.Checkpoint) error {
		signed := Signed{Body: c.Body, Signature: c.Signature}
		if c.N != last+1 {
			return brokenCheckpoint(last+1, "the checkpoint is gone")
		}
		s, err := v.open(signed, c.N)
		if err != nil {
			return err
		}
		if s.N != c.N || s.Prev != prev {
			return brokenCheckpoint(c.N, "it does not follow the checkpoint before it")
		}
		for _, h := range s.Heads {
			if v.claims[h.TaskID] == nil {
				v.claims[h.TaskID] = map[int64]claim{}
			}
			v.claims[h.TaskID][h.Seq] = claim{hash: h.Hash, n: c.N}
			v.checked[h.TaskID] = max(v.checked[h.TaskID], h.Seq)
		}
		if v.external != nil && *v.external == signed {
			found = true
		}
		last, prev = c.N, hashOf(c.Body, c.Signature)
		v.result.Checkpoints++
		return nil
	})
	if err != nil || found {
		return err
	}
	s, err := v.open(*v.external, 0)
	if err != nil {
		return err
	}
	return brokenCheckpoint(s.N, "the store does not hold the checkpoint of the file: it was rewritten, or is another store")
}

// open checks a checkpoint's signature and reads it.
func (v *verifier) open(c Signed, n int64) (statement, error) {
	if v.key == nil {
		return statement{}, brokenCheckpoint(n, "the key that signed it, %s, is gone", keyFile)
	}
	if !c.holds(v.key) {
		return statement{}, brokenCheckpoint(n, "its signature is not that of this store's key")
	}
	s, err := c.statement()
	if err != nil {
		return statement{}, brokenCheckpoint(n, "it cannot be read")
	}
	return s, nil
}

// rows walks all chains.
func (v *verifier) rows(view *store.View) error {
	var task string
	var seq int64
	for {
		rows, err := view.RowsByTask(task, seq, page)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := v.row(r); err != nil {
				return err
			}
			task, seq = r.TaskID, r.Seq
		}
		if len(rows) < page {
			break
		}
	}
	if v.task == "" {
		return nil
	}
	return v.end()
}

// row checks one row against the one before it, its own content and what
// checkpoints say of it.
func (v *verifier) row(r store.AuditRow) error {
	if r.TaskID != v.task {
		if v.task != "" {
			if err := v.end(); err != nil {
				return err
			}
		}
		v.task, v.seq, v.hash = r.TaskID, 0, chain.Genesis
	}
	switch {
	case r.Seq != v.seq+1:
		return brokenRow(r.TaskID, v.seq+1, "the row is gone")
	case r.Prev != v.hash:
		return brokenRow(r.TaskID, r.Seq, "it does not follow the row before it")
	case !r.Erased && chain.Sum(r.Data) != r.DataSHA256:
		return brokenRow(r.TaskID, r.Seq, "its payload was changed")
	}
	want := chain.Hash(v.hash, chain.Row{Seq: r.Seq, TimeMS: r.TimeMS, TaskID: r.TaskID,
		Type: string(r.Type), Agent: r.Agent, DataSHA256: r.DataSHA256})
	if r.Hash != want {
		return brokenRow(r.TaskID, r.Seq, "it was changed")
	}
	if c, ok := v.claims[r.TaskID][r.Seq]; ok {
		if c.hash != r.Hash {
			return brokenRow(r.TaskID, r.Seq, "it is not the row that checkpoint %d covers", c.n)
		}
		delete(v.claims[r.TaskID], r.Seq)
	}
	v.seq, v.hash = r.Seq, r.Hash
	v.result.Rows++
	if r.Erased {
		v.result.Erased++
	}
	return nil
}

// end compares the end of the chain just walked with what the task's row and
// the checkpoints say.
func (v *verifier) end() error {
	h, ok := v.heads[v.task]
	switch {
	case !ok:
		return brokenRow(v.task, v.seq, "its task is gone")
	case v.seq < h.Seq:
		return brokenRow(v.task, v.seq+1, "the end of the chain was cut off: %d of %d rows are there", v.seq, h.Seq)
	case v.seq > h.Seq || v.hash != h.Hash:
		return brokenRow(v.task, v.seq, "it was put behind the end of the chain")
	case v.checked[v.task] != h.CheckedSeq:
		return brokenRow(v.task, h.CheckedSeq, "the checkpoint that covered it is gone")
	}
	delete(v.heads, v.task)
	return v.unmet(v.task)
}
