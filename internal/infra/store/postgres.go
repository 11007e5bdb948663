package store

import (
	"database/sql"
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresConns bounds what one process takes of a shared server.
const postgresConns = 8

// openPostgres makes the pool; nothing is dialled yet.
func (s *Store) openPostgres(raw string) error {
	cfg, err := pgx.ParseConfig(raw)
	if err != nil {
		// The parser's own text repeats parts of the URL.
		return unusable("store.url", "it is not a valid Postgres URL", "write it as postgres://user@host:5432/database")
	}
	place := url.URL{Scheme: "postgres", Host: net.JoinHostPort(cfg.Host, portText(cfg.Port)), Path: "/" + cfg.Database}
	if strings.HasPrefix(cfg.Host, "/") {
		place.Host = "localhost" // a socket folder
	}
	db := stdlib.OpenDB(*cfg)
	db.SetMaxOpenConns(postgresConns)
	db.SetMaxIdleConns(postgresConns)
	s.db, s.engine, s.place = db, postgresEngine{}, place.String()
	return nil
}

// postgresEngine is the shared database.
type postgresEngine struct{}

var _ engine = postgresEngine{}

func (postgresEngine) name() string { return "postgres" }

func (postgresEngine) snapshot() *sql.TxOptions {
	return &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}
}

func (postgresEngine) classify(err error) faultKind {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		var connect *pgconn.ConnectError
		var network net.Error
		if errors.As(err, &connect) || errors.As(err, &network) {
			return kindIO
		}
		return kindOther
	}
	switch {
	case e.Code == "40001" || e.Code == "40P01" || e.Code == "55P03":
		return kindBusy
	case e.Code == "42P01":
		return kindNoTable
	case e.Code == "53100":
		return kindFull
	case e.Code == "25006" || e.Code == "42501":
		return kindReadOnly
	case strings.HasPrefix(e.Code, "XX"):
		return kindDamaged
	case strings.HasPrefix(e.Code, "08") || strings.HasPrefix(e.Code, "57") || strings.HasPrefix(e.Code, "58"):
		return kindIO
	}
	return kindOther
}
