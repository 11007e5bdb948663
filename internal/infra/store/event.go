package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/audit/chain"
)

// erased stands for a payload that retention removed.
const erased = `{"erased":true}`

// AppendEvents numbers the events under the task's row lock, chains each to
// the one before it and stores their exact bytes. It fills in Seq, TaskID and
// Time in the slice: times are cut to the millisecond and never earlier than
// that of the event before.
//
// Data must be JSON in UTF-8; no data is stored as an empty object. A type
// that is live only is a programmer's mistake and refused.
func (tx *Tx) AppendEvents(taskID string, events []writ.Event) error {
	if len(events) == 0 {
		return nil
	}
	var project, head string
	var seq, last int64
	err := tx.row("append events", qEventLock, []any{taskID}, &project, &seq, &last, &head)
	if errors.Is(err, sql.ErrNoRows) {
		return noTask(taskID)
	}
	if err != nil {
		return err
	}
	insert, err := tx.tx.PrepareContext(tx.ctx, tx.s.queries[qEventAdd])
	if err != nil {
		return tx.fail("append events", err)
	}
	defer func() { _ = insert.Close() }() // it ends with the transaction anyway
	for i := range events {
		e := &events[i]
		if err := fit(e, taskID); err != nil {
			return err
		}
		seq++
		last = max(last, toMS(e.Time))
		e.Seq, e.TaskID, e.Time = seq, taskID, fromMS(last)
		row := chain.Row{Seq: seq, TimeMS: last, TaskID: taskID, Type: string(e.Type), Agent: e.Agent, DataSHA256: chain.Sum(e.Data)}
		hash := chain.Hash(head, row)
		if _, err := insert.ExecContext(tx.ctx, project, taskID, seq, last, row.Type, row.Agent, string(e.Data), row.DataSHA256, head, hash); err != nil {
			return tx.fail("append events", err)
		}
		head = hash
	}
	_, err = tx.exec("append events", qEventHead, taskID, seq, last, head)
	return err
}

// fit judges an event and makes it fit for the table.
func fit(e *writ.Event, taskID string) error {
	if !e.Type.Stored() || e.Type == "" || (e.TaskID != "" && e.TaskID != taskID) {
		return fmt.Errorf("append events: %q of task %q cannot be stored with task %s", e.Type, e.TaskID, taskID)
	}
	if len(e.Data) == 0 {
		e.Data = json.RawMessage("{}")
	}
	if !utf8.Valid(e.Data) || !json.Valid(e.Data) {
		return fmt.Errorf("append events: the data of %q is not JSON", e.Type)
	}
	e.Agent = text(e.Agent)
	return nil
}

// Events returns a task's events with a greater number than after, in order,
// at most limit of them; 0 means no limit. An erased payload reads
// {"erased":true}.
func (s *Store) Events(ctx context.Context, taskID string, after int64, limit int) ([]writ.Event, error) {
	out := []writ.Event{}
	err := s.each(ctx, "read events", qEventAfter, []any{taskID, after, limitOf(limit)}, func(scan func(...any) error) error {
		e := writ.Event{TaskID: taskID}
		var ms int64
		var data *string
		if err := scan(&e.Seq, &ms, &e.Type, &e.Agent, &data); err != nil {
			return err
		}
		e.Time, e.Data = fromMS(ms), payload(data)
		out = append(out, e)
		return nil
	})
	return out, err
}

// EraseEvents removes the payloads of a task's events older than before and
// tells how many. What happened, when and with which hash stays, so the chain
// still verifies.
func (tx *Tx) EraseEvents(taskID string, before time.Time) (int64, error) {
	return tx.exec("erase events", qEventErase, taskID, toMS(before))
}

func payload(data *string) json.RawMessage {
	if data == nil {
		return json.RawMessage(erased)
	}
	return json.RawMessage(*data)
}
