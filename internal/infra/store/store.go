package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Options say where the store is.
type Options struct {
	// Dir is the folder of the embedded store. It is created, readable by its
	// owner alone, when it does not exist. Unused with a Postgres URL.
	Dir string
	// URL is empty for the embedded store or postgres://… for a shared one. A
	// password in it never appears in an error.
	URL string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Store is the open store. It is safe for concurrent use and must be closed.
type Store struct {
	db      *sql.DB
	engine  engine
	queries map[query]string
	now     func() time.Time
	// place names the store for a person: a path, or a URL without its user.
	place string
	// turn lets one goroutine of this process write at a time where the engine
	// has a single writer anyway: waiting here is fair and costs no polling.
	turn chan struct{}
}

// Open opens the store and brings its tables to this program's version, which
// costs one query when they already are. Any number of processes may open the
// same store at once.
//
// Errors are *writ.Error of code CONFIG for a place that cannot be a store and
// for a store that a newer program wrote, and INTERNAL for one that cannot be
// read.
func Open(ctx context.Context, o Options) (*Store, error) {
	queries, err := loadQueries()
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{queries: queries, now: o.Now}
	if strings.HasPrefix(o.URL, "postgres://") || strings.HasPrefix(o.URL, "postgresql://") {
		err = s.openPostgres(o.URL)
	} else if o.URL != "" {
		err = unusable("a store URL", "it is neither empty nor postgres://…", "correct store.url")
	} else {
		err = s.openSQLite(o.Dir)
	}
	if err != nil {
		return nil, err
	}
	if err := s.migrate(ctx); err != nil {
		_ = s.db.Close() // the reason why it could not be used is the one to tell
		return nil, err
	}
	return s, nil
}

// Close ends the store. Writes that returned are on disk already.
func (s *Store) Close() error {
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

// Place names the store for a person: the path of its file, or its URL
// without user and password.
func (s *Store) Place() string { return s.place }
