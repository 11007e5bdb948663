package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/writ-dev/writ"
)

// defaultLimit is the bound of a read whose caller names none, in bytes.
const defaultLimit = 8 << 20

// Read returns the bytes, hash and permission bits of a regular file. Links
// that lead to one inside the workspace are followed, and the file bears the
// name it was asked by. limit is in bytes; 0 means 8 MiB. Refusals are
// FILE_NOT_FOUND with the nearest names, PATH_INVALID for what is no regular
// file, PATH_OUTSIDE_WORKSPACE and TOO_LARGE.
func (r *Root) Read(ctx context.Context, rel string, limit int64) (writ.File, error) {
	if limit <= 0 {
		limit = defaultLimit
	}
	f, info, err := r.open(rel)
	if err != nil {
		return writ.File{}, err
	}
	defer f.Close()
	if info.Size() > limit {
		return writ.File{}, tooLarge(rel, info.Size(), limit)
	}
	content, err := io.ReadAll(io.LimitReader(&ctxReader{ctx, f}, limit+1))
	if err != nil {
		return writ.File{}, diskError("read", rel, err)
	}
	if int64(len(content)) > limit {
		return writ.File{}, tooLarge(rel, int64(len(content)), limit)
	}
	return writ.File{Path: rel, Content: content, SHA256: Hash(content), Mode: uint32(info.Mode().Perm())}, nil
}

// Hash is the SHA-256 of content in hexadecimal, as changes bear it.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// SHA returns the hash of a regular file of any size, and the empty string
// where nothing stands.
func (r *Root) SHA(ctx context.Context, rel string) (string, error) {
	f, _, err := r.open(rel)
	if writ.CodeOf(err) == writ.CodeFileNotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum, err := hashOf(ctx, f)
	return sum, diskError("read", rel, err)
}

func hashOf(ctx context.Context, f io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, &ctxReader{ctx, f}); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func tooLarge(rel string, size, limit int64) error {
	return &writ.Error{Code: writ.CodeTooLarge, Path: rel, Msg: fmt.Sprintf("%s has %d bytes, more than %d", Show(rel), size, limit)}
}

// open opens a regular file for reading. The kind is looked at before, so that
// no device is touched, and again on what was opened.
func (r *Root) open(rel string) (*os.File, fs.FileInfo, error) {
	real, err := r.Resolve(rel)
	if err != nil {
		return nil, nil, r.withNearNames(rel, err)
	}
	if inGit(real) {
		return nil, nil, gitRefusal(rel)
	}
	name := filepath.FromSlash(real)
	info, err := r.root.Lstat(name)
	if err == nil {
		err = regular(rel, info)
	}
	if err != nil {
		return nil, nil, diskError("read", rel, err)
	}
	f, err := r.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, diskError("read", rel, err)
	}
	info, err = f.Stat()
	if err == nil {
		err = regular(rel, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, diskError("read", rel, err)
	}
	return f, info, nil
}

// regular refuses what is no regular file.
func regular(rel string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return invalid(rel, "is a folder", "name a file in it")
	case mode&fs.ModeSymlink != 0:
		return invalid(rel, "is a link", "")
	case mode&fs.ModeNamedPipe != 0:
		return invalid(rel, "is a pipe, not a regular file", "")
	case mode&fs.ModeSocket != 0:
		return invalid(rel, "is a socket, not a regular file", "")
	}
	return invalid(rel, "is a device, not a regular file", "")
}

// withNearNames adds to a FILE_NOT_FOUND the names that may have been meant.
func (r *Root) withNearNames(rel string, err error) error {
	var missing *writ.Error
	if !errors.As(err, &missing) || missing.Code != writ.CodeFileNotFound {
		return err
	}
	dir, name := path.Split(rel)
	names, listErr := r.names(path.Clean(dir))
	if listErr != nil {
		return err
	}
	near := nearest(name, names)
	if len(near) == 0 {
		return err
	}
	for i := range near {
		near[i] = Show(path.Join(dir, near[i]))
	}
	told := *missing
	told.Msg += "; did you mean " + strings.Join(near, " or ") + "?"
	return &told
}

// nearest returns at most three names that look like the wanted one, or differ
// from it by few letters.
func nearest(name string, names []string) []string {
	type candidate struct {
		name string
		cost int
	}
	var found []candidate
	want := looks(name)
	bound := 1 + len(want)/6
	for _, other := range names {
		if strings.HasPrefix(other, tempPrefix) || inGit(other) {
			continue
		}
		if cost := distance(want, looks(other), bound); cost <= bound {
			found = append(found, candidate{other, cost})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		if a.cost != b.cost {
			return a.cost - b.cost
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, c := range found[:min(3, len(found))] {
		out = append(out, c.name)
	}
	return out
}

// looks is a name as the eye takes it: without case, compatibility forms
// joined, a narrow blank a blank.
func looks(name string) []rune { return []rune(strings.ToLower(norm.NFKC.String(name))) }

// distance is the number of insertions, removals and replacements between two
// names; above bound it is only known to be above.
func distance(a, b []rune, bound int) int {
	if len(a)-len(b) > bound || len(b)-len(a) > bound {
		return bound + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// ctxReader ends a long read when its context does.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
