package verifier

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/tools/edit"
)

// stepPrefix begins the reason of a files check that failed for steps alone.
const stepPrefix = "not done: "

// files checks that what the plan promised is there and is what the manifest
// says: steps done, planned files present, bytes as hashed, nothing emptied or
// replaced by a placeholder.
func (in Input) files(ctx context.Context, weak []writ.Finding) (writ.Check, error) {
	c := writ.Check{Name: writ.CheckFiles, Status: writ.CheckPassed, Curable: true, Findings: []writ.Finding{}}
	changed := map[string]writ.Change{}
	for _, ch := range in.Changes() {
		changed[ch.Path] = ch
		found, err := in.change(ctx, ch)
		if err != nil {
			return c, err
		}
		c.Findings = append(c.Findings, found...)
	}
	failed := len(c.Findings) > 0
	notDone, missing, err := in.planned(ctx, changed)
	if err != nil {
		return c, err
	}
	c.Findings = append(c.Findings, missing...)
	failed = failed || len(missing) > 0
	if !in.hasTests() {
		// Without a test command nothing can fail for a weakened test; it is
		// shown, so that a person sees it.
		c.Findings = append(c.Findings, weak...)
	}
	var details []string
	if len(notDone) > 0 {
		failed = true
		details = append(details, stepPrefix+strings.Join(notDone, "; "))
	}
	for _, f := range c.Findings {
		details = append(details, f.Path+": "+f.Message)
	}
	c.Detail = strings.Join(details, "; ")
	if failed {
		c.Status = writ.CheckFailed
	}
	return c, nil
}

// change checks one staged change against its own claims.
func (in Input) change(ctx context.Context, ch writ.Change) ([]writ.Finding, error) {
	content, exists, err := in.Overlay.Content(ctx, ch.Path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", ch.Path, err)
	}
	before, existed, err := in.Overlay.Before(ctx, ch.Path)
	if err != nil {
		return nil, fmt.Errorf("read %s as it was: %w", ch.Path, err)
	}
	if ch.Op == writ.OpDelete || ch.AfterSHA256 == "" {
		if exists {
			return []writ.Finding{finding("files.claim", ch.Path, "is still there although its removal is staged")}, nil
		}
		return nil, nil
	}
	switch {
	case !exists:
		return []writ.Finding{finding("files.claim", ch.Path, "is not there although it is staged")}, nil
	case hash(content) != ch.AfterSHA256:
		return []writ.Finding{finding("files.claim", ch.Path, "is not what was staged")}, nil
	case existed && ch.From == "" && bytes.Equal(before, content) && ch.Mode == ch.BeforeMode:
		return []writ.Finding{finding("files.claim", ch.Path, "does not differ from before")}, nil
	case existed && len(bytes.TrimSpace(content)) == 0 && len(bytes.TrimSpace(before)) > 0:
		return []writ.Finding{finding("files.emptied", ch.Path, "was emptied")}, nil
	}
	if bad := edit.Placeholder(ch.Path, before, content); bad != nil {
		return []writ.Finding{finding("files.placeholder", ch.Path, bad.Error())}, nil
	}
	return nil, nil
}

// planned lists the steps that are not done, and the planned files of done
// steps that never appeared. An existing file that a step left as it was is no
// fault.
func (in Input) planned(ctx context.Context, changed map[string]writ.Change) (notDone []string, missing []writ.Finding, err error) {
	for _, s := range in.Plan.Steps {
		switch s.Status {
		case writ.StepFailed, writ.StepSkipped, writ.StepPending:
			reason := s.Error
			if reason == "" {
				reason = s.Status.String()
			}
			notDone = append(notDone, fmt.Sprintf("step %s (%s)", s.ID, reason))
			continue
		case writ.StepDone:
		}
		for _, f := range s.Files {
			if _, ok := changed[f]; ok {
				continue
			}
			_, exists, err := in.Overlay.Content(ctx, f)
			if err != nil {
				return nil, nil, fmt.Errorf("read %s: %w", f, err)
			}
			if !exists {
				missing = append(missing, finding("files.missing", f, "was planned and never appeared"))
			}
		}
	}
	return notDone, missing, nil
}

func finding(rule, path, msg string) writ.Finding {
	sum := sha256.Sum256([]byte(rule + "\x00" + path + "\x00" + msg))
	return writ.Finding{Rule: rule, Severity: writ.SeverityHigh, Path: path, Message: msg, Fingerprint: hex.EncodeToString(sum[:8])}
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
