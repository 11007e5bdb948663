package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/writ-dev/writ"
)

// unusable is the refusal of a place that cannot be a store.
func unusable(place, why, hint string) error {
	return &writ.Error{Code: writ.CodeConfig, Op: "open store", Path: place, Msg: place + " cannot be used: " + why, Hint: hint}
}

// fault turns an error of the database into one clear line. An error that is
// a *writ.Error already, or that ended the context, passes as it is.
func (s *Store) fault(op string, err error) error {
	var known *writ.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", op, err)
	}
	e := &writ.Error{Code: writ.CodeInternal, Op: op, Path: s.place, Err: err}
	switch s.engine.classify(err) {
	case kindFull:
		e.Msg, e.Hint = "no room is left for the store "+s.place+", so nothing more is done", "free some space and run writ task resume"
	case kindReadOnly:
		e.Msg, e.Hint = "the store "+s.place+" may not be written to, so nothing more is done", "make it writable or name another folder with --state-dir"
	case kindBusy:
		e.Msg, e.Hint = "the store "+s.place+" is held by another process", "try again when the other writ has finished"
	case kindDamaged:
		e.Msg, e.Hint = "the store "+s.place+" is damaged", "restore a backup, or name another folder with --state-dir"
	case kindIO:
		e.Msg, e.Hint = "the store "+s.place+" cannot be reached: "+strings.Join(strings.Fields(err.Error()), " "), "see whether its disk or server is well"
	case kindNoTable:
		e.Msg, e.Hint = "the store "+s.place+" lacks a table", "restore a backup, or name another folder with --state-dir"
	case kindOther:
		return fmt.Errorf("%s: %w", op, err)
	}
	return e
}

func portText(port uint16) string { return strconv.Itoa(int(port)) }
