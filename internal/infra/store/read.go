package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// value reads the single JSON column of the single row of a statement into
// out; found is false when there is no row.
func (s *Store) value(ctx context.Context, op string, q query, out any, args ...any) (found bool, err error) {
	var data string
	err = s.db.QueryRowContext(ctx, s.queries[q], args...).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, s.fault(op, err)
	}
	if err := json.Unmarshal([]byte(data), out); err != nil {
		return false, fmt.Errorf("%s: the stored row cannot be read: %w", op, err)
	}
	return true, nil
}

// list reads the single JSON column of every row of a statement. The result
// is never nil.
func list[T any](ctx context.Context, s *Store, op string, q query, args ...any) ([]T, error) {
	out := []T{}
	err := s.each(ctx, op, q, args, func(scan func(...any) error) error {
		var data string
		if err := scan(&data); err != nil {
			return err
		}
		var v T
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			return fmt.Errorf("the stored row cannot be read: %w", err)
		}
		out = append(out, v)
		return nil
	})
	return out, err
}

// querier is a *sql.DB or a *sql.Tx.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// each calls fn for every row of a statement.
func (s *Store) each(ctx context.Context, op string, q query, args []any, fn func(scan func(...any) error) error) error {
	return s.fault(op, eachRow(ctx, s.db, s.queries[q], args, fn))
}

// eachRow calls fn for every row that a statement gives.
func eachRow(ctx context.Context, db querier, text string, args []any, fn func(scan func(...any) error) error) error {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // rows.Err below tells what matters
	for rows.Next() {
		if err := fn(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// limitOf turns "no limit" into a number that SQL understands.
func limitOf(n int) int64 {
	if n <= 0 {
		return 1 << 62
	}
	return int64(n)
}

// text makes a string fit for a text column of either engine: Postgres refuses
// a zero byte and what is not UTF-8.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// toMS and fromMS carry times; the zero time is 0.
func toMS(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMS(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// encode writes a value for a JSON column.
func encode(op string, v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	return text(string(data)), nil
}
