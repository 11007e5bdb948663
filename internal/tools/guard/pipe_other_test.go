//go:build !unix

package guard

import "testing"

func makePipe(t *testing.T, _ string) {
	t.Helper()
	t.Skip("the system has no named pipes")
}
