package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// canaryTime bounds one canary; it needs some tens of milliseconds.
const canaryTime = 20 * time.Second

// choose takes the strongest backend whose canary comes back clean. Started by
// root, each backend is tried as an unprivileged user first.
func (s *Sandbox) choose() choice {
	var passed []string
	for _, b := range s.opts.Backends {
		for _, uid := range identities(b.Level()) {
			err := s.probe(b, uid)
			if err != nil {
				passed = append(passed, fmt.Sprintf("level %d cannot be had: %v", b.Level(), err))
				continue
			}
			why := append([]string{b.Note()}, passed...)
			if uid == 0 && isRoot() {
				why = append(why, "commands run as root")
			}
			return choice{backend: b, uid: uid, why: strings.Join(why, "; ")}
		}
	}
	if len(passed) == 0 {
		passed = []string{"no sandbox is known for this system"}
	}
	return choice{why: strings.Join(passed, "; ")}
}

// probe runs the canary at a backend and looks at what it could do.
func (s *Sandbox) probe(b Backend, uid int) error {
	if s.opts.Exe == "" {
		return errors.New("the path of this program is unknown")
	}
	ctx, cancel := context.WithTimeout(context.Background(), canaryTime)
	defer cancel()
	return s.runCanary(ctx, b, uid)
}
