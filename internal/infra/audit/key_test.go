package audit_test

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/audit"
	"github.com/writ-dev/writ/internal/infra/store"
)

func TestTheKeyIsForTheOwnerAlone(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.add(t, "t_1", 1)
	f.checkpoint(t)
	path := filepath.Join(f.dir, "audit.key")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(data)
	if block == nil {
		t.Fatal("the key is not PEM")
	}
	if _, err := x509.ParsePKCS8PrivateKey(block.Bytes); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(f.dir, ".audit-key-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Processes that start at once make one key.
func TestTheKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	var wg sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		f.add(t, "t_"+string(rune('a'+i)), 1)
		st, err := store.Open(t.Context(), store.Options{Dir: f.dir, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			errs[i] = errors.Join(audit.New(st, audit.Options{Dir: f.dir}).Checkpoint(t.Context()), st.Close())
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if r := f.verify(t, nil); !r.OK || r.Rows != 6 || r.Checkpoints < 1 {
		t.Errorf("%+v", r)
	}
}

func TestAKeyThatCannotBeTrustedIsRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(path string) error
		says  string
	}{
		"others can read it": {func(path string) error { return os.Chmod(path, 0o644) }, "can be read by others"},
		"it is no key":       {func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }, "is not a signing key"},
		"it is a link": {func(path string) error {
			return errors.Join(os.Rename(path, path+"2"), os.Symlink(path+"2", path))
		}, "is not a regular file"},
		"it is a folder": {func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }, "is not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" {
				t.Skip("Windows keeps access rights elsewhere")
			}
			f := setUp(t)
			f.add(t, "t_1", 1)
			f.checkpoint(t)
			if err := tc.spoil(filepath.Join(f.dir, "audit.key")); err != nil {
				t.Fatal(err)
			}
			f.add(t, "t_1", 1)
			_, verr := f.log.Verify(t.Context(), nil)
			for _, err := range []error{verr, f.log.Checkpoint(t.Context())} {
				if writ.CodeOf(err) != writ.CodeConfig || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("error %v", err)
				}
			}
		})
	}
}

func FuzzReadCheckpoint(f *testing.F) {
	for _, seed := range []string{
		`{"body":"{\"n\":1,\"heads\":[]}","signature":"00"}`, `{"body":"{}","signature":""}`, `{`, ``, `null`, `[]`,
		`{"body":"{\"n\":-1}","signature":"zz"}`, `{"body":"{\"n\":1}","signature":"00","more":1}`, `{"body":"{\"n\":1}"}{}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := audit.ReadCheckpoint(strings.NewReader(text))
		if err != nil {
			if writ.CodeOf(err) != writ.CodeUsage {
				t.Errorf("error %v", err)
			}
			return
		}
		if !strings.Contains(s.Body, "{") {
			t.Errorf("accepted %q", text)
		}
	})
}
