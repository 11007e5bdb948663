package supervisor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/writ-dev/writ"
)

// errLeased is the refusal of a lease that a live process holds.
var errLeased = errors.New("held by a live process")

// lease marks a task as driven by this process for as long as the process
// lives: the operating system drops it at the death of the process, so a task
// whose lease can be taken is not running.
type lease struct{ f *os.File }

func (s *Supervisor) leasePath(taskID string) string {
	return filepath.Join(s.d.WorkDir, "run", taskID+".lock")
}

// take claims a task for this process.
func (s *Supervisor) take(taskID string) (*lease, error) {
	path := s.leasePath(taskID)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for leases: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the task's lease: %w", err)
	}
	if err := lockFile(f); err != nil {
		f.Close()
		if errors.Is(err, errLeased) {
			return nil, &writ.Error{Code: writ.CodeStateIllegal, Msg: "task " + taskID + " runs in another process", Hint: "wait for it, or interrupt it there"}
		}
		return nil, fmt.Errorf("take the task's lease: %w", err)
	}
	return &lease{f}, nil
}

func (l *lease) release() { l.f.Close() }

// Live reports whether a process drives the task now.
func (s *Supervisor) Live(taskID string) bool {
	l, err := s.take(taskID)
	if err != nil {
		return writ.CodeOf(err) == writ.CodeStateIllegal
	}
	l.release()
	return false
}
