package gocache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// hashBytes is the length of action and output ids.
const hashBytes = 32

// entry is what the cache knows of an action.
type entry struct {
	output []byte
	size   int64
	time   time.Time
	path   string
}

// store is a private cache over a shared one. Both have go's own layout:
// XX/ACTION-a names the output, XX/OUTPUT-d is the output.
type store struct {
	private, shared string
}

// get looks an action up.
func (s *store) get(action []byte) (entry, bool) {
	if len(action) != hashBytes {
		return entry{}, false
	}
	if e, ok := read(s.private, action); ok {
		return e, true
	}
	e, ok := read(s.shared, action)
	if !ok || !intact(e) {
		return entry{}, false
	}
	return e, true
}

// read parses one action file: "v1 ACTION OUTPUT SIZE NANOSECONDS".
func read(dir string, action []byte) (entry, bool) {
	line, err := os.ReadFile(file(dir, action, "a"))
	if err != nil || len(line) > 512 {
		return entry{}, false
	}
	f := strings.Fields(string(line))
	if len(f) != 5 || f[0] != "v1" || f[1] != hex.EncodeToString(action) {
		return entry{}, false
	}
	output, err := hex.DecodeString(f[2])
	if err != nil || len(output) != hashBytes {
		return entry{}, false
	}
	size, err := strconv.ParseInt(f[3], 10, 64)
	if err != nil {
		return entry{}, false
	}
	nanos, err := strconv.ParseInt(f[4], 10, 64)
	if err != nil {
		return entry{}, false
	}
	e := entry{output: output, size: size, time: time.Unix(0, nanos), path: file(dir, output, "d")}
	fi, err := os.Stat(e.path)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() != size {
		return entry{}, false
	}
	return e, true
}

// intact reports whether the output's bytes have the hash that names them.
func intact(e entry) bool {
	f, err := os.Open(e.path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return false
	}
	return bytes.Equal(h.Sum(nil), e.output)
}

// put stores an output of size bytes under an action and returns its path.
func (s *store) put(action, output []byte, size int64, body io.Reader) (string, error) {
	if len(action) != hashBytes || len(output) != hashBytes {
		return "", errors.New("an id of the wrong length")
	}
	path := file(s.private, output, "d")
	if err := write(path, body, size); err != nil {
		return "", err
	}
	line := fmt.Sprintf("v1 %x %x %20d %20d\n", action, output, size, time.Now().UnixNano())
	if err := write(file(s.private, action, "a"), strings.NewReader(line), int64(len(line))); err != nil {
		return "", err
	}
	return path, nil
}

// write makes a file whole or not at all: two go commands may share the cache.
func write(path string, body io.Reader, size int64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "tmp-")
	if err != nil {
		return err
	}
	n, err := io.Copy(tmp, body)
	if err == nil && n != size {
		err = fmt.Errorf("%d bytes came where %d were announced", n, size)
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

func file(dir string, id []byte, kind string) string {
	name := hex.EncodeToString(id)
	return filepath.Join(dir, name[:2], name+"-"+kind)
}
