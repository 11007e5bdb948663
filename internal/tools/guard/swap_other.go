//go:build !linux

package guard

import (
	"errors"
	"os"
)

// exchange is ErrUnsupported here: Replace falls back to a rename right after
// a comparison.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }

// moveNew is ErrUnsupported here: Replace falls back to a hard link.
func moveNew(*os.Root, string, string) error { return errors.ErrUnsupported }
