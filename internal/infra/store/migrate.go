package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/writ-dev/writ"
)

//go:embed migrations
var migrationFiles embed.FS

// versionQuery reads the version that the migration library recorded.
const versionQuery = `SELECT max(version_id) FROM goose_db_version WHERE is_applied`

// migrateTries bounds how often a lost race is looked at again. Each process
// that starts at the same moment can win one migration before us.
const migrateTries = 20

// migrate brings the tables to this program's version. Migrations run one to a
// transaction, together with the row that records them, so of two processes
// one creates the tables and the other fails cleanly, looks again, and finds
// them made.
func (s *Store) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrationFiles, "migrations/"+s.engine.name())
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	want, err := newest(files)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		have, err := s.version(ctx)
		switch {
		case err == nil && have > want:
			return unusable(s.place, fmt.Sprintf("a newer writ wrote it (schema %d, this one knows %d)", have, want),
				"update writ, or name another folder with --state-dir")
		case err == nil && have == want:
			return nil
		case err != nil && s.engine.classify(err) != kindNoTable && s.engine.classify(err) != kindBusy:
			return s.openFault(err)
		}
		if err = s.up(ctx, files); err == nil {
			continue // the next look confirms it
		}
		if try == migrateTries || ctx.Err() != nil {
			return s.openFault(err)
		}
		switch s.engine.classify(err) {
		case kindFull, kindReadOnly, kindDamaged, kindIO:
			return s.openFault(err)
		case kindBusy, kindNoTable, kindOther: // another process may have been first
		}
		if err := pause(ctx, time.Duration(try)*5*time.Millisecond); err != nil {
			return s.openFault(err)
		}
	}
}

// version is the newest applied migration. It costs one query.
func (s *Store) version(ctx context.Context) (int64, error) {
	var v *int64
	if err := s.db.QueryRowContext(ctx, versionQuery).Scan(&v); err != nil {
		return 0, err
	}
	if v == nil {
		return 0, nil
	}
	return *v, nil
}

// up runs the missing migrations.
func (s *Store) up(ctx context.Context, files fs.FS) error {
	dialect := goose.DialectSQLite3
	if s.engine.name() == "postgres" {
		dialect = goose.DialectPostgres
	}
	p, err := goose.NewProvider(dialect, s.db, files,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	// The provider is not closed: that would close the pool, which is ours.
	_, err = p.Up(ctx)
	return err
}

// newest is the highest version among the files, named NNNNN_title.sql.
func newest(files fs.FS) (int64, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil || len(entries) == 0 {
		return 0, fmt.Errorf("read migrations: none found: %w", err)
	}
	number, _, _ := strings.Cut(entries[len(entries)-1].Name(), "_")
	v, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read migrations: %w", err)
	}
	return v, nil
}

// openFault is fault for what fails while opening: there the place is wrong
// more often than the disk.
func (s *Store) openFault(err error) error {
	out := s.fault("open store", err)
	if e, ok := out.(*writ.Error); ok && s.engine.classify(err) == kindReadOnly {
		e.Code = writ.CodeConfig
	}
	return out
}
