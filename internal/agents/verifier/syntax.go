package verifier

import (
	"context"
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
)

// syntax checks every changed file whose kind has a checker here. It returns
// nil where there is none, and the changed files without a checker. A file
// that was broken before and still is is not the task's fault.
func (in Input) syntax(ctx context.Context) (*writ.Check, []string, error) {
	c := &writ.Check{Name: writ.CheckSyntax, Status: writ.CheckPassed, Curable: true, Findings: []writ.Finding{}}
	subjects := 0
	var unchecked, details []string
	for _, ch := range in.Changes() {
		if ch.AfterSHA256 == "" {
			continue
		}
		content, exists, err := in.Overlay.Content(ctx, ch.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", ch.Path, err)
		}
		if !exists {
			continue
		}
		v := in.Syntax(ctx, ch.Path, content)
		switch v.Verdict {
		case writ.VerdictUnknown:
			unchecked = append(unchecked, ch.Path)
			continue
		case writ.VerdictValid:
		case writ.VerdictSuspect:
			c.Findings = append(c.Findings, place(v, writ.SeverityLow))
		case writ.VerdictInvalid:
			old, err := in.brokenBefore(ctx, ch.Path)
			if err != nil {
				return nil, nil, err
			}
			if old {
				c.Findings = append(c.Findings, place(v, writ.SeverityLow))
				break
			}
			c.Status = writ.CheckFailed
			c.Findings = append(c.Findings, place(v, writ.SeverityHigh))
			details = append(details, fmt.Sprintf("%s:%d: %s", ch.Path, v.Line, v.Message))
		}
		subjects++
	}
	c.Detail = strings.Join(details, "; ")
	if subjects == 0 {
		return nil, unchecked, nil
	}
	return c, unchecked, nil
}

func (in Input) brokenBefore(ctx context.Context, path string) (bool, error) {
	before, existed, err := in.Overlay.Before(ctx, path)
	if err != nil || !existed {
		return false, err
	}
	return in.Syntax(ctx, path, before).Verdict == writ.VerdictInvalid, nil
}

func place(v writ.Syntax, severity writ.Severity) writ.Finding {
	f := finding("syntax."+v.Checker, v.Path, v.Message)
	f.Severity, f.Line, f.EndLine = severity, v.Line, v.Line
	return f
}
