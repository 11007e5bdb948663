package store

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestOpenMakesAFileForTheOwnerAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps access rights elsewhere")
	}
	dir := filepath.Join(t.TempDir(), "deep", "state ? # %41 é")
	st := place{opts: Options{Dir: dir}}.open(t)
	addTasks(t, st, "t_1")
	modes := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		modes[strings.TrimPrefix(path, dir)] = info.Mode().String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"": "drwx------", "/writ.db": "-rw-------", "/writ.db-wal": "-rw-------", "/writ.db-shm": "-rw-------"}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Error(diff)
	}
	if st.Place() != filepath.Join(dir, "writ.db") {
		t.Errorf("place is %q", st.Place())
	}
}

func TestOpenTightensAFileThatOthersCouldRead(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps access rights elsewhere")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "writ.db")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	place{opts: Options{Dir: dir}}.open(t)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := func(t *testing.T, content string, names ...string) string {
		path := filepath.Join(append([]string{t.TempDir()}, names...)...)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, tc := range map[string]struct {
		opts func(t *testing.T) Options
		code writ.Code
		says string
	}{
		"a file as its folder":  {func(t *testing.T) Options { return Options{Dir: file(t, "x", "secret.txt")} }, writ.CodeConfig, "it is a file, not a folder"},
		"a folder below a file": {func(t *testing.T) Options { return Options{Dir: filepath.Join(file(t, "x", "f"), "state")} }, writ.CodeConfig, "it is a file, not a folder"},
		"no folder":             {func(*testing.T) Options { return Options{} }, writ.CodeConfig, "it has no name"},
		"a folder as its file": {func(t *testing.T) Options {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "writ.db"), 0o700); err != nil {
				t.Fatal(err)
			}
			return Options{Dir: dir}
		}, writ.CodeConfig, "not a regular file"},
		"a link as its file": {func(t *testing.T) Options {
			dir := t.TempDir()
			if err := os.Symlink(file(t, "", "else"), filepath.Join(dir, "writ.db")); err != nil {
				t.Skip(err)
			}
			return Options{Dir: dir}
		}, writ.CodeConfig, "not a regular file"},
		"something that is no database": {func(t *testing.T) Options {
			return Options{Dir: filepath.Dir(file(t, strings.Repeat("not a database at all\n", 500), "writ.db"))}
		}, writ.CodeInternal, "is damaged"},
		"another URL":       {func(*testing.T) Options { return Options{URL: "mysql://u:hunter22@h/d"} }, writ.CodeConfig, "store URL"},
		"a broken URL":      {func(*testing.T) Options { return Options{URL: "postgres://u:hunter22@h:port/d"} }, writ.CodeConfig, "not a valid Postgres URL"},
		"nobody at the URL": {func(*testing.T) Options { return Options{URL: "postgres://u:hunter22@127.0.0.1:1/d"} }, writ.CodeInternal, "postgres://127.0.0.1:1/d cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st, err := Open(t.Context(), tc.opts(t))
			if err == nil {
				_ = st.Close()
			}
			wantCode(t, err, tc.code, tc.says)
			if strings.Contains(err.Error(), "hunter22") {
				t.Errorf("the password stands in %q", err)
			}
		})
	}
}

func TestOpenLeavesWhatItRefusesAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.txt")
	if err := os.WriteFile(secret, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Dir: secret}); err == nil {
		t.Fatal("a file became a folder")
	}
	got, err := os.ReadFile(secret)
	if err != nil || string(got) != "keep" {
		t.Errorf("%q, %v", got, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%v stand beside it", entries)
	}
}

// Audit case 04: a folder that may not be written to.
func TestOpenRefusesASealedFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("root may write everywhere")
	}
	dir := filepath.Join(t.TempDir(), "sealed")
	if err := os.Mkdir(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Dir: dir})
	wantCode(t, err, writ.CodeConfig, "may not be written to")
}

func TestOpenRefusesANewerStore(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		if _, err := st.db.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, true)`); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), p.opts)
		wantCode(t, err, writ.CodeConfig, "a newer writ wrote it (schema 99")
	})
}

func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, p place) {
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				st, err := Open(context.Background(), p.opts)
				if err == nil {
					_, err = st.Project(context.Background(), "/w")
					err = errors.Join(err, st.Close())
				}
				errs[i] = err
			})
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Error(err)
		}
	})
}

// childEnv makes the test binary open the store in that folder and end.
const childEnv = "WRIT_TEST_OPEN_CHILD"

func TestOpenInSeveralProcesses(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(childEnv); dir != "" {
		st, err := Open(context.Background(), Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		addEvents(t, st, os.Getenv("WRIT_TEST_TASK"), 20)
		return
	}
	dir := t.TempDir()
	var wg sync.WaitGroup
	for _, id := range []string{"t_a", "t_b", "t_c"} {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestOpenInSeveralProcesses$")
			cmd.Env = append(os.Environ(), childEnv+"="+dir, "WRIT_TEST_TASK="+id)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	st := place{opts: Options{Dir: dir}}.open(t)
	for _, id := range []string{"t_a", "t_b", "t_c"} {
		wantSeqs(t, st, id, 20)
	}
}

func TestMigrationsSayTheSameForBothEngines(t *testing.T) {
	t.Parallel()
	read := func(engine string) map[string]string {
		out := map[string]string{}
		entries, err := migrationFiles.ReadDir("migrations/" + engine)
		if err != nil {
			t.Fatal(err)
		}
		same := strings.NewReplacer("INTEGER PRIMARY KEY AUTOINCREMENT", "ID", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "ID", "BYTEA ", "BLOB  ")
		for _, e := range entries {
			data, err := migrationFiles.ReadFile("migrations/" + engine + "/" + e.Name())
			if err != nil {
				t.Fatal(err)
			}
			out[e.Name()] = same.Replace(string(data))
		}
		return out
	}
	if diff := cmp.Diff(read("sqlite"), read("postgres")); diff != "" {
		t.Error(diff)
	}
}

func TestEveryTableBearsAProject(t *testing.T) {
	t.Parallel()
	st := place{opts: Options{Dir: t.TempDir()}}.open(t)
	rows, err := st.db.Query(`SELECT m.name FROM sqlite_master m WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'
		AND m.name <> 'goose_db_version' AND NOT EXISTS (SELECT 1 FROM pragma_table_info(m.name) c WHERE c.name = 'project_id')`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		t.Errorf("table %s has no project_id", name)
	}
	var n int
	if err := st.db.QueryRow(`SELECT count(*) FROM sqlite_master WHERE type = 'table'`).Scan(&n); err != nil || n < 10 {
		t.Errorf("%d tables, %v", n, err)
	}
}

func TestEveryQueryIsKnownAndPrepares(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("query.go")
	if err != nil {
		t.Fatal(err)
	}
	all, err := loadQueries()
	if err != nil {
		t.Fatal(err)
	}
	left := map[query]string{}
	for name, body := range all {
		left[name] = body
	}
	for line := range strings.Lines(string(src)) {
		_, name, ok := strings.Cut(line, ` query = "`)
		if !ok {
			continue
		}
		name = strings.TrimSuffix(strings.TrimSpace(name), `"`)
		if left[query(name)] == "" {
			t.Errorf("no SQL file has %q", name)
		}
		delete(left, query(name))
	}
	for name := range left {
		t.Errorf("nobody uses %q", name)
	}
	onEngines(t, func(t *testing.T, p place) {
		st := p.open(t)
		for name, body := range all {
			stmt, err := st.db.Prepare(body)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			_ = stmt.Close()
		}
	})
}

func TestSplitQueriesRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a name twice": "-- name: a\nSELECT 1;\n-- name: a\nSELECT 2;",
		"no statement": "-- name: a\n\n-- name: b\nSELECT 1;",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := splitQueries(text, map[query]string{}); err == nil {
				t.Error("was accepted")
			}
		})
	}
}

func BenchmarkOpenWarm(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		st, err := Open(b.Context(), Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
