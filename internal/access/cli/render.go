package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/show"
)

// renderer shows a task's life.
type renderer interface {
	event(writ.Event)
	report(*writ.Report)
}

// renderer picks the form: JSON lines, a live last line on a terminal, or
// plain lines.
func (g *globals) renderer(verbose bool) renderer {
	switch {
	case g.json:
		return &jsonRenderer{out: g.env.Stdout}
	case g.env.Terminal:
		return &plainRenderer{out: g.env.Stdout, progress: g.env.Stderr, color: g.color(), live: true, verbose: verbose}
	default:
		return &plainRenderer{out: g.env.Stdout, progress: g.env.Stderr, verbose: verbose}
	}
}

// jsonRenderer prints every event as one line, the report last.
type jsonRenderer struct{ out io.Writer }

func (r *jsonRenderer) event(e writ.Event)      { r.line(e) }
func (r *jsonRenderer) report(rep *writ.Report) { r.line(rep) }

func (r *jsonRenderer) line(v any) {
	enc := json.NewEncoder(r.out)
	enc.SetEscapeHTML(false)
	// A closed stdout ends what is shown, not the task.
	_ = enc.Encode(v)
}

// plainRenderer prints a line per phase, refusal and check on progress, and
// the summary on out. Live, the last line is rewritten while a model speaks.
type plainRenderer struct {
	out, progress  io.Writer
	color          bool
	live           bool
	verbose        bool
	started        time.Time
	pending        bool // a live line stands without its line feed
	answered       int
	step, requests string
}

func (r *plainRenderer) event(e writ.Event) {
	if r.started.IsZero() {
		r.started = e.Time
	}
	var d map[string]any
	if json.Unmarshal(e.Data, &d) != nil {
		return
	}
	if line := progressLine(e, d); line != "" {
		r.print(e, line)
	} else if r.live && (e.Type == writ.EventModelRequested || e.Type == writ.EventToolCalled) {
		r.rewrite(fmt.Sprintf("%s %s …", e.Agent, show.Line(str(d["model"])+str(d["tool"]))))
	} else if r.verbose && e.Type.Stored() {
		r.print(e, fmt.Sprintf("%s %s %s", e.Type, e.Agent, show.Line(cut(string(e.Data), 200))))
	}
}

// progressLine is what a person sees of an event; most have none.
func progressLine(e writ.Event, d map[string]any) string {
	switch e.Type {
	case writ.EventTaskStateChanged:
		return fmt.Sprintf("%s → %s", str(d["from"]), str(d["to"]))
	case writ.EventPlanAccepted:
		return planLine(d)
	case writ.EventLockExtended:
		return "lock set + " + show.Line(str(d["path"])) + "  " + show.Line(str(d["reason"]))
	case writ.EventLockSet:
		if w := str(d["waiting"]); w != "" {
			return "waiting: " + show.Line(w)
		}
	case writ.EventGuardDenied:
		return fmt.Sprintf("denied %s %s (%s)", str(d["code"]), show.Line(str(d["path"])), show.Line(str(d["agent"])))
	case writ.EventChangeStaged:
		return fmt.Sprintf("staged %s %s +%v -%v", str(d["op"]), show.Line(str(d["path"])), d["additions"], d["deletions"])
	case writ.EventAgentRetried:
		return fmt.Sprintf("%s tries again: %s", e.Agent, show.Line(str(d["error"])))
	case writ.EventVerifyCheck:
		return fmt.Sprintf("check %s %s  %s", str(d["name"]), str(d["status"]), show.Line(cut(str(d["detail"]), 160)))
	case writ.EventDegraded:
		return fmt.Sprintf("degraded: %s stood in for %s (%s)", show.Line(str(d["stood_in"])), show.Line(e.Agent), show.Line(str(d["why"])))
	case writ.EventModelFallback:
		return fmt.Sprintf("model %s → %s: %s", show.Line(str(d["from"])), show.Line(str(d["to"])), show.Line(str(d["why"])))
	case writ.EventBudgetWarning:
		return "budget: more than half of the tokens are used"
	case writ.EventBudgetExceeded:
		return "budget exceeded: " + show.Line(str(d["message"]))
	case writ.EventError:
		return "error " + str(d["code"]) + ": " + show.Line(cut(str(d["message"]), 200))
	default:
	}
	return ""
}

func planLine(d map[string]any) string {
	plan, _ := d["plan"].(map[string]any)
	steps, _ := plan["steps"].([]any)
	var files []string
	for _, s := range steps {
		m, _ := s.(map[string]any)
		fs, _ := m["files"].([]any)
		for _, f := range fs {
			files = append(files, show.Line(str(f)))
		}
	}
	return fmt.Sprintf("plan: %d steps, may write %s", len(steps), strings.Join(files, " "))
}

func (r *plainRenderer) print(e writ.Event, line string) {
	r.clear()
	fmt.Fprintf(r.progress, " %7s  %s\n", sinceText(e.Time.Sub(r.started)), line)
}

func (r *plainRenderer) rewrite(line string) {
	r.clear()
	fmt.Fprint(r.progress, "          "+cut(line, 68))
	r.pending = true
}

// clear wipes the live line.
func (r *plainRenderer) clear() {
	if r.pending {
		fmt.Fprint(r.progress, "\r"+strings.Repeat(" ", 80)+"\r")
		r.pending = false
	}
}

func (r *plainRenderer) report(rep *writ.Report) {
	r.clear()
	printSummary(r.out, rep, r.color)
}

func sinceText(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

func str(v any) string {
	if v == nil {
		return ""
	}
	if s, ok := v.(string); ok {
		return s
	}
	return fmt.Sprint(v)
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
