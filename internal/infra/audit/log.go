package audit

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/store"
)

// page is how many rows are read at once.
const page = 500

// Options are what a log needs besides its store.
type Options struct {
	// Dir is the state folder, where the signing key is or will be.
	Dir string
	// Rand makes the key; nil is crypto/rand.
	Rand io.Reader
}

// Log is the audit of one store. It is safe for concurrent use.
type Log struct {
	store *store.Store
	dir   string
	rand  io.Reader
}

// New makes the audit of an open store, which it does not close. The key is
// made at the first checkpoint.
func New(st *store.Store, o Options) *Log {
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	return &Log{store: st, dir: o.Dir, rand: o.Rand}
}

// List calls fn for the stored events, oldest first: those of one task, whose
// id may be shortened, or of all tasks when taskID is empty. It ends with the
// first error of fn, which it returns.
func (l *Log) List(ctx context.Context, taskID string, fn func(writ.Event) error) error {
	return l.rows(ctx, taskID, func(r store.AuditRow) error { return fn(r.Event) })
}

// exported is an event with its place in the chain, so that an export can be
// verified without the store.
type exported struct {
	writ.Event
	DataSHA256 string `json:"data_sha256"`
	Prev       string `json:"prev"`
	Hash       string `json:"hash"`
}

// Export writes the stored events as one JSON object a line, oldest first:
// the envelope with the hash of its payload, the hash before it and its own.
// The payload's bytes are the ones that the hash is of. An empty taskID is all
// tasks.
func (l *Log) Export(ctx context.Context, w io.Writer, taskID string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // would change the payload's bytes
	return l.rows(ctx, taskID, func(r store.AuditRow) error {
		if err := enc.Encode(exported{Event: r.Event, DataSHA256: r.DataSHA256, Prev: r.Prev, Hash: r.Hash}); err != nil {
			return fmt.Errorf("export audit: %w", err)
		}
		return nil
	})
}

// rows calls fn for the rows page by page, outside of any transaction, so that
// a slow reader of the output holds nothing up.
func (l *Log) rows(ctx context.Context, taskID string, fn func(store.AuditRow) error) error {
	if taskID != "" {
		t, err := l.store.Task(ctx, taskID)
		if err != nil {
			return err
		}
		taskID = t.ID
	}
	var last store.AuditRow
	for {
		rows, err := l.next(ctx, taskID, last)
		if err != nil {
			return fmt.Errorf("read audit: %w", err)
		}
		for _, r := range rows {
			if taskID != "" && r.TaskID != taskID {
				return nil
			}
			if err := fn(r); err != nil {
				return err
			}
		}
		if len(rows) < page {
			return nil
		}
		last = rows[len(rows)-1]
	}
}

func (l *Log) next(ctx context.Context, taskID string, last store.AuditRow) (rows []store.AuditRow, err error) {
	err = l.store.View(ctx, func(v *store.View) error {
		if taskID != "" {
			rows, err = v.RowsByTask(taskID, last.Seq, page)
			return err
		}
		rows, err = v.RowsByTime(last, page)
		return err
	})
	return rows, err
}
