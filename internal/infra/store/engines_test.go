package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/writ-dev/writ"
)

// postgresEnv names a Postgres in which the tests may make schemas of their
// own; without it they run on SQLite alone.
const postgresEnv = "WRIT_TEST_POSTGRES"

// start is the time of the tests' clocks.
var start = time.Date(2030, 1, 2, 3, 4, 5, 678_000_000, time.UTC)

// place is an empty store of one engine that can be opened several times.
type place struct {
	name string
	opts Options
}

func (p place) open(t *testing.T) *Store {
	t.Helper()
	st, err := Open(t.Context(), p.opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// onEngines runs a test on an empty store of each engine.
func onEngines(t *testing.T, fn func(t *testing.T, p place)) {
	now := func() time.Time { return start }
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, place{name: "sqlite", opts: Options{Dir: t.TempDir(), Now: now}})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, place{name: "postgres", opts: Options{URL: newSchema(t), Now: now}})
	})
}

// newSchema makes a schema that lives as long as the test and returns the URL
// that leads into it.
func newSchema(t *testing.T) string {
	t.Helper()
	url := os.Getenv(postgresEnv)
	if url == "" {
		t.Skip(postgresEnv + " names no Postgres")
	}
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("writ_%d_%s", time.Now().UnixNano(), strings.ToLower(strings.Map(letter, t.Name())))
	name = name[:min(len(name), 60)]
	if _, err := db.Exec(`CREATE SCHEMA "` + name + `"`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.Exec(`DROP SCHEMA "` + name + `" CASCADE`); err != nil {
			t.Error(err)
		}
		_ = db.Close()
	})
	sep := "?"
	if strings.Contains(url, "?") {
		sep = "&"
	}
	return url + sep + "search_path=" + name
}

func letter(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '_'
}

// newTask is a task that fills every kind of field.
func newTask(id, workspace string) *writ.Task {
	cost := 0.25
	return &writ.Task{
		ID: id, Workspace: workspace, Prompt: "say \"hi\"\n\x00 and \u202e go", Type: writ.TypeCoding, Priority: writ.P1,
		State: writ.StateIdle, Phase: writ.PhaseIdle, CreatedAt: start,
		Options: writ.Options{Apply: writ.ApplyVerified, Limits: writ.Limits{HardTokens: 300000, TaskTimeout: time.Minute}},
		Work:    writ.Work{Next: "intake", LockSet: []string{"a.go"}, Usage: writ.Usage{Requests: 1, CostUSD: &cost}},
	}
}

// addTasks creates tasks in the workspace /w.
func addTasks(t *testing.T, st *Store, ids ...string) {
	t.Helper()
	write(t, st, func(tx *Tx) error {
		for _, id := range ids {
			if err := tx.CreateTask(newTask(id, "/w")); err != nil {
				return err
			}
		}
		return nil
	})
}

func write(t *testing.T, st *Store, fn func(*Tx) error) {
	t.Helper()
	if err := st.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// wantCode checks that err is a *writ.Error of the code, in one line.
func wantCode(t *testing.T, err error, code writ.Code, words ...string) {
	t.Helper()
	if writ.CodeOf(err) != code {
		t.Fatalf("error %v has code %q, want %q", err, writ.CodeOf(err), code)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q has more than one line", err)
	}
}
