package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/writ-dev/writ"
)

// The kinds of a recorded call.
const (
	CallModel = "model"
	CallTool  = "tool"
)

// Call is the record of one model call or tool result, made before its result
// is used, so that a task which goes on after a kill replays it instead of
// asking, and paying, again. Key is unique within the task and the same on
// each run of the same work. Response holds the exact answer: unlike an event
// it is not redacted, since a replay must do what the first run did.
type Call struct {
	TaskID     string
	Key        string
	Kind       string // CallModel or CallTool
	Agent      string
	Step       string
	Attempt    int
	Round      int
	RequestSHA string
	Response   json.RawMessage
	Error      string // empty for a success
	Usage      writ.ModelUsage
	CostUSD    *float64 // nil where the price is unknown
	DurationMS int64
	At         time.Time
}

// PutCall records a call. A recorded success of the same key stays as it is; a
// recorded failure is replaced.
func (tx *Tx) PutCall(c Call) error {
	usage, err := encode("put call", c.Usage)
	if err != nil {
		return err
	}
	_, err = tx.exec("put call", qCallPut, c.TaskID, text(c.Key), text(c.Kind), text(c.Agent), text(c.Step),
		c.Attempt, c.Round, text(c.RequestSHA), text(string(c.Response)), text(c.Error), usage, c.CostUSD, c.DurationMS, toMS(c.At))
	return err
}

// Call returns the record of a key, or nil.
func (s *Store) Call(ctx context.Context, taskID, key string) (*Call, error) {
	c := Call{TaskID: taskID, Key: key}
	var response, usage string
	var at int64
	err := s.db.QueryRowContext(ctx, s.queries[qCallGet], taskID, text(key)).Scan(&c.Kind, &c.Agent, &c.Step, &c.Attempt,
		&c.Round, &c.RequestSHA, &response, &c.Error, &usage, &c.CostUSD, &c.DurationMS, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, s.fault("read call", err)
	}
	if err := json.Unmarshal([]byte(usage), &c.Usage); err != nil {
		return nil, fmt.Errorf("read call: the stored row cannot be read: %w", err)
	}
	if response != "" {
		c.Response = json.RawMessage(response)
	}
	c.At = fromMS(at)
	return &c, nil
}
