package staging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"

	"github.com/writ-dev/writ"
)

// newFileMode is the mode of a file that the task creates.
const newFileMode fs.FileMode = 0o644

// image is one version of a file: its bytes, hash and permission bits. The
// zero value is the absent file.
type image struct {
	sha     string
	mode    fs.FileMode
	content []byte
}

func (i image) exists() bool { return i.sha != "" }

// same reports whether two versions cannot be told apart on disk.
func (i image) same(other image) bool {
	return i.sha == other.sha && (!i.exists() || i.mode == other.mode)
}

func imageOf(content []byte, mode fs.FileMode) image {
	return image{sha: hashOf(content), mode: mode, content: content}
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// onDisk reads a file of the workspace; an absent one is the zero image.
func onDisk(ctx context.Context, disk Disk, rel string, limit int64) (image, error) {
	f, err := disk.Read(ctx, rel, limit)
	if writ.CodeOf(err) == writ.CodeFileNotFound {
		return image{}, nil
	}
	if err != nil {
		return image{}, err
	}
	return image{sha: f.SHA256, mode: fs.FileMode(f.Mode).Perm(), content: f.Content}, nil
}

// stored loads a version from the store; the empty hash is the absent file.
func stored(ctx context.Context, st Store, sha string, mode fs.FileMode) (image, error) {
	if sha == "" {
		return image{}, nil
	}
	content, err := st.Blob(ctx, sha)
	if err != nil {
		return image{}, fmt.Errorf("load staged content: %w", err)
	}
	return image{sha: sha, mode: mode, content: content}, nil
}
