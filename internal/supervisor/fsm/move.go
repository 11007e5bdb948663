package fsm

import (
	"slices"

	"github.com/writ-dev/writ"
)

// Move takes the task to the given state. A transition that the lifecycle does
// not have is a [*writ.IllegalTransitionError] and leaves the task as it was.
func Move(t *writ.Task, to writ.State) error {
	if !Legal(t.State, to) {
		return &writ.IllegalTransitionError{From: t.State, To: to}
	}
	t.State = to
	return nil
}

// Legal reports whether the lifecycle has the transition.
func Legal(from, to writ.State) bool {
	return slices.Contains(writ.Transitions()[from], to)
}
