package store

import (
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteFile is the file's name in the state folder.
const sqliteFile = "writ.db"

// sqliteConns bounds the pool: one writer and a few readers beside it, each
// with a page cache of its own.
const sqliteConns = 4

// openSQLite prepares folder and file and makes the pool; nothing is read yet.
func (s *Store) openSQLite(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil || dir == "" {
		return unusable("the state folder", "it has no name", "name one with --state-dir")
	}
	file := filepath.Join(abs, sqliteFile)
	if err := prepare(abs, file); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", sqliteDSN(file))
	if err != nil {
		return unusable(file, "it cannot be opened: "+err.Error(), "")
	}
	db.SetMaxOpenConns(sqliteConns)
	db.SetMaxIdleConns(sqliteConns)
	s.db, s.engine, s.place = db, sqliteEngine{}, file
	s.turn = make(chan struct{}, 1)
	return nil
}

// sqliteDSN spells the file as a URI, in which no character of a path has a
// second meaning. The pragmas are run on each new connection, the wait for a
// lock first, so that the others already honour it.
func sqliteDSN(file string) string {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	q := url.Values{"_txlock": {"immediate"}, "_dqs": {"0"}, "_error_rc": {"1"}, "_pragma": {
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
	}}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// prepare makes the folder and an empty file for the owner's eyes alone.
// SQLite gives its journal files the mode of the database file.
func prepare(dir, file string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return placeError(dir, err)
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return placeError(file, err)
	}
	info, err := os.Lstat(file)
	if err != nil {
		return placeError(file, err)
	}
	if !info.Mode().IsRegular() {
		return unusable(file, "it is not a regular file", "name another folder with --state-dir")
	}
	if info.Mode().Perm()&0o077 != 0 {
		// A file that is not ours cannot be changed; what we may do with it is
		// for the database to find out.
		if err := os.Chmod(file, 0o600); err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
			return placeError(file, err)
		}
	}
	return nil
}

// placeError says in one line why a folder or file cannot hold the store.
func placeError(place string, err error) error {
	why := err.Error()
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		why = pathErr.Err.Error()
	}
	switch {
	case errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrExist):
		why = "it is a file, not a folder"
	case errors.Is(err, fs.ErrPermission):
		why = "it may not be written to"
	case errors.Is(err, syscall.EROFS):
		why = "it is on a read-only file system"
	case errors.Is(err, syscall.ENOSPC):
		why = "the disk is full"
	}
	return unusable(place, why, "name another folder with --state-dir")
}

// sqliteEngine is the embedded database.
type sqliteEngine struct{}

var _ engine = sqliteEngine{}

func (sqliteEngine) name() string { return "sqlite" }

// snapshot asks for a deferred transaction, which the driver begins for a
// read-only one: in WAL mode its first read fixes what it sees.
func (sqliteEngine) snapshot() *sql.TxOptions { return &sql.TxOptions{ReadOnly: true} }

func (sqliteEngine) classify(err error) faultKind {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return kindOther
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return kindBusy
	case sqlite3.SQLITE_FULL:
		return kindFull
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH:
		return kindReadOnly
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
		return kindDamaged
	case sqlite3.SQLITE_IOERR:
		return kindIO
	case sqlite3.SQLITE_ERROR:
		if strings.Contains(e.Error(), "no such table") {
			return kindNoTable
		}
	}
	return kindOther
}
