package guard

import (
	"maps"
	"slices"
	"sync"
)

// LockSet is the exact files that a task may write, as cleaned paths. It is
// safe for concurrent use; the zero value holds nothing.
type LockSet struct {
	mu    sync.RWMutex
	files map[string]struct{}
}

// NewLockSet returns a set of the given cleaned paths.
func NewLockSet(files ...string) *LockSet {
	s := &LockSet{}
	for _, f := range files {
		s.Add(f)
	}
	return s
}

// Has reports whether the path may be written. Nothing is expanded: a folder
// or a pattern in the set opens no file.
func (s *LockSet) Has(rel string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.files[rel]
	return ok
}

// Add puts a path into the set.
func (s *LockSet) Add(rel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]struct{}{}
	}
	s.files[rel] = struct{}{}
}

// Clear empties the set: from then on nothing may be written.
func (s *LockSet) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = nil
}

// Files returns the paths, sorted.
func (s *LockSet) Files() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Sorted(maps.Keys(s.files))
}
