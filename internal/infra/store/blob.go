package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/audit/chain"
)

// PutBlob stores bytes under their SHA-256, which it returns in hexadecimal.
// The same bytes are stored once.
func (tx *Tx) PutBlob(content []byte) (string, error) {
	sha := chain.Sum(content)
	if content == nil {
		content = []byte{} // a nil slice would be NULL
	}
	_, err := tx.exec("put blob", qBlobPut, sha, len(content), content)
	return sha, err
}

// Blob returns the bytes with that SHA-256. Bytes that no longer have it, or
// are not there, are an error: nobody must build on or restore wrong content.
func (s *Store) Blob(ctx context.Context, sha string) ([]byte, error) {
	var content []byte
	err := s.db.QueryRowContext(ctx, s.queries[qBlobGet], text(sha)).Scan(&content)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read blob: no content with hash %q", sha)
	}
	if err != nil {
		return nil, s.fault("read blob", err)
	}
	if chain.Sum(content) != sha {
		return nil, &writ.Error{Code: writ.CodeInternal, Op: "read blob", Path: s.place,
			Msg: "the stored content " + sha + " is damaged", Hint: "restore a backup of the store"}
	}
	return content, nil
}
