package guard

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// crashEnv makes the test binary a child that acts and dies at a step.
const crashEnv = "GUARD_TEST_CRASH"

// crashPlan is what the child does, and where it is killed.
type crashPlan struct {
	Dir    string
	Action string
	Die    string // a step with ":before" or ":after"; empty to name all steps
	Edit   string // what a person saves right before the exchange; empty for nothing
}

func TestMain(m *testing.M) {
	if plan := os.Getenv(crashEnv); plan != "" {
		os.Exit(crashChild(plan))
	}
	os.Exit(m.Run())
}

func crashChild(text string) int {
	var plan crashPlan
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		return 2
	}
	p, err := NewPolicy(PolicyOptions{})
	if err != nil {
		return 2
	}
	r, err := OpenRoot(plan.Dir, p, WithSteps(func(step string) {
		if plan.Edit != "" && step == "rename:before" {
			os.WriteFile(filepath.Join(plan.Dir, "a.txt"), []byte(plan.Edit), 0o644)
		}
		if plan.Die == "" {
			os.Stdout.WriteString(step + "\n")
		}
		if step == plan.Die {
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		}
	}))
	if err != nil {
		return 2
	}
	if err := crashActions()[plan.Action](r); err != nil {
		return 3
	}
	return 0
}

const (
	crashOld = "old content\n"
	crashNew = "new content, which is longer than the old\n"
)

func crashActions() map[string]func(*Root) error {
	ctx := context.Background()
	return map[string]func(*Root) error{
		"modify": func(r *Root) error {
			return r.Replace(ctx, "a.txt", []byte(crashNew), 0, Hash([]byte(crashOld)))
		},
		"create": func(r *Root) error { return r.Replace(ctx, "x/y/n.txt", []byte(crashNew), 0, "") },
		"delete": func(r *Root) error { return r.Remove(ctx, "a.txt", Hash([]byte(crashOld))) },
	}
}

// crash runs a child and returns the steps that it named.
func crash(t *testing.T, plan crashPlan) []string {
	t.Helper()
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^$")
	cmd.Env = append(os.Environ(), crashEnv+"="+string(text))
	out, err := cmd.Output()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if plan.Die != "" && !killed(status) || plan.Die == "" && err != nil && plan.Edit == "" {
		t.Fatalf("%+v: the child ended with %v", plan, err)
	}
	var steps []string
	for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); {
		steps = append(steps, lines.Text())
	}
	return steps
}

// TestKillAtEachStep kills a process with SIGKILL before and after each step of
// each kind of change. The file must be whole, old or new, and the next start
// must leave nothing behind.
func TestKillAtEachStep(t *testing.T) {
	t.Parallel()
	for action, file := range map[string]string{"modify": "a.txt", "create": "x/y/n.txt", "delete": "a.txt"} {
		_, ws := workspace(t, map[string]string{"a.txt": crashOld})
		for _, step := range crash(t, crashPlan{Dir: ws, Action: action}) {
			t.Run(action+"/"+step, func(t *testing.T) {
				t.Parallel()
				r, ws := workspace(t, map[string]string{"a.txt": crashOld})
				crash(t, crashPlan{Dir: ws, Action: action, Die: step})
				var whole []string
				switch action {
				case "modify":
					whole = []string{crashOld, crashNew}
				case "create":
					whole = []string{"", crashNew}
				case "delete":
					whole = []string{crashOld, ""}
				}
				check(t, ws, file, whole...)
				if err := r.CleanTemps(t.Context()); err != nil {
					t.Fatal(err)
				}
				noTemps(t, ws)
				check(t, ws, file, whole...)
			})
		}
	}
}

// TestKillWhileAPersonSaves adds a person who saves in the instant before the
// exchange: whatever the kill leaves, the next start must bring their bytes
// back.
func TestKillWhileAPersonSaves(t *testing.T) {
	t.Parallel()
	const theirs = "what a person wrote\n"
	for _, action := range []string{"modify", "delete"} {
		for _, step := range []string{"rename:after", "verify:before", "verify:after"} {
			t.Run("lock-05/"+action+"/"+step, func(t *testing.T) {
				t.Parallel()
				r, ws := workspace(t, map[string]string{"a.txt": crashOld})
				if _, err := exchangeWorks(r); err != nil {
					t.Skip("the exchange of two names does not work here")
				}
				crash(t, crashPlan{Dir: ws, Action: action, Die: step, Edit: theirs})
				if err := r.CleanTemps(t.Context(), "a.txt"); err != nil {
					t.Fatal(err)
				}
				noTemps(t, ws)
				check(t, ws, "a.txt", theirs)
			})
		}
	}
}

func exchangeWorks(r *Root) (bool, error) {
	for _, name := range []string{".one", ".two"} {
		if err := r.root.WriteFile(name, nil, 0o644); err != nil {
			return false, err
		}
		defer r.root.Remove(name)
	}
	return true, exchange(r.root, ".one", ".two")
}

// check fails unless the file has one of the contents; "" is absent.
func check(t *testing.T, ws, file string, whole ...string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(ws, file))
	for _, want := range whole {
		if string(b) == want && (want != "" || os.IsNotExist(err)) {
			return
		}
	}
	t.Errorf("%s is %q, %v; want one of %q", file, b, err, whole)
}

func TestCleanTempsKnowsWhatIsOurs(t *testing.T) {
	t.Parallel()
	base, after := Hash([]byte("old\n")), Hash([]byte("new\n"))
	cut := newTemp(tempWriting, base, after, "a.txt").String()
	swapped := newTemp(tempSwap, base, after, "a.txt").String()
	unswapped := newTemp(tempSwap, base, after, "a.txt").String()
	foreign := ".writ-notes.tmp"
	newer := newTemp(tempDelete, base, "", "a.txt").String()
	r, ws := workspace(t, map[string]string{
		"a.txt": "a person's newest\n", "d/" + cut: "ne", "d/" + swapped: "old\n", "d/" + unswapped: "new\n", foreign: "mine", newer: "theirs, older\n", ".git/" + cut: "not ours to touch",
	})
	live := filepath.Join(ws, newTemp(tempWriting, base, after, "b.txt").String())
	f, err := os.Create(live)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	locked := lockFile(f)
	if err := r.CleanTemps(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a.txt": true, "d/" + cut: false, "d/" + swapped: false, "d/" + unswapped: false, foreign: true, newer: true, ".git/" + cut: true} {
		if _, err := os.Lstat(filepath.Join(ws, name)); (err == nil) != want {
			t.Errorf("%s: there is %v, want %v", name, err == nil, want)
		}
	}
	if _, err := os.Lstat(live); locked && err != nil {
		t.Error("the file of a living process was removed")
	}
	if got := slurp(t, filepath.Join(ws, "a.txt")); got != "a person's newest\n" {
		t.Errorf("a.txt is %q", got)
	}
}

func FuzzParseTemp(f *testing.F) {
	f.Add(newTemp(tempSwap, Hash(nil), Hash([]byte("x")), "a.txt").String())
	f.Add(".writ-w.tmp")
	f.Add(".writ-" + strings.Repeat("0", 60) + ".tmp")
	f.Fuzz(func(t *testing.T, name string) {
		if parsed, ok := parseTemp(name); ok && parsed.String() != name {
			t.Errorf("parseTemp(%q).String() = %q", name, parsed.String())
		}
	})
}
