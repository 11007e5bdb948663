package audit

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/writ-dev/writ"
)

// keyFile holds the signing key, as PKCS #8 in PEM, in the state folder.
const keyFile = "audit.key"

// loadKey reads the signing key. A missing one is fs.ErrNotExist.
func (l *Log) loadKey() (ed25519.PrivateKey, error) {
	path := filepath.Join(l.dir, keyFile)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("read audit key: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, keyError(path, "is not a regular file", "put the key file back")
	}
	// Windows keeps access rights elsewhere and shows every file as 0666.
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, keyError(path, "can be read by others", "chmod 600 "+path+", if nobody had access to it")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read audit key: %w", err)
	}
	key, err := parseKey(data)
	if err != nil {
		return nil, keyError(path, "is not a signing key", "put the key file back")
	}
	return key, nil
}

// ensureKey reads the signing key and makes it when there is none. Of two
// processes that make one at once, one wins and both use its key.
func (l *Log) ensureKey() (ed25519.PrivateKey, error) {
	key, err := l.loadKey()
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	_, key, err = ed25519.GenerateKey(l.rand)
	if err != nil {
		return nil, fmt.Errorf("make audit key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("make audit key: %w", err)
	}
	if err := l.placeKey(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})); err != nil {
		return nil, fmt.Errorf("make audit key: %w", err)
	}
	return l.loadKey()
}

// placeKey gives the whole file its name at once, unless the name is taken.
func (l *Log) placeKey(data []byte) error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(l.dir, ".audit-key-*") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // the link keeps the content
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	err = os.Link(tmp.Name(), filepath.Join(l.dir, keyFile))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func parseKey(data []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("no PEM block")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("a %T", parsed)
	}
	return key, nil
}

func keyError(path, what, hint string) error {
	return &writ.Error{Code: writ.CodeConfig, Op: "read audit key", Path: path, Msg: path + " " + what, Hint: hint}
}
