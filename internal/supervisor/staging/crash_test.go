package staging

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/eventbus"
	"github.com/writ-dev/writ/internal/infra/journal"
	"github.com/writ-dev/writ/internal/infra/store"
	"github.com/writ-dev/writ/internal/tools/guard"
)

// The variables that turn the test program into the process that is killed.
const (
	crashAct   = "WRIT_TEST_CRASH_ACT" // one of the acts below
	crashDir   = "WRIT_TEST_CRASH_DIR"
	crashState = "WRIT_TEST_CRASH_STATE"
	crashAt    = "WRIT_TEST_CRASH_AT" // the step to be killed at, from 1; 0 for none
)

// The acts of the child beside apply and undo.
const (
	actRollback = "rollback" // an apply whose last write fails
	actRecover  = "recover"  // the recovery of an apply that was killed half-way
)

func TestMain(m *testing.M) {
	if act := os.Getenv(crashAct); act != "" {
		if err := crashChild(act); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// crashChild applies or undoes the task, prints each step, and kills itself
// with SIGKILL at the step asked for.
func crashChild(act string) error {
	ctx := context.Background()
	at, err := strconv.Atoi(os.Getenv(crashAt))
	if err != nil {
		return err
	}
	count := 0
	step := func(name string) {
		count++
		fmt.Println(name)
		if count != at {
			return
		}
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		fmt.Fprintln(os.Stderr, "waiting for the kill:", err)
		select {}
	}
	policy, err := guard.NewPolicy(guard.PolicyOptions{})
	if err != nil {
		return err
	}
	root, err := guard.OpenRoot(os.Getenv(crashDir), policy, guard.WithSteps(step))
	if err != nil {
		return err
	}
	defer root.Close()
	st, err := store.Open(ctx, store.Options{Dir: os.Getenv(crashState), Now: time.Now})
	if err != nil {
		return err
	}
	defer st.Close()
	ledger := &steppedLedger{Ledger: journal.New(st, eventbus.New(), journal.Options{Now: time.Now}).Task(testTask), step: step}
	disk := &faultyDisk{ApplyDisk: root}
	a, err := NewApplier(ApplierOptions{Store: st, Root: disk, Ledger: func(string) Ledger { return ledger }})
	if err != nil {
		return err
	}
	switch act {
	case store.KindUndo:
		_, err = a.Undo(ctx, testTask, nil)
	case actRecover:
		_, err = a.Recover(ctx, nil)
	case actRollback:
		disk.n, disk.err = 3, syscall.ENOSPC
		if _, err = a.ApplyAll(ctx, testTask); errors.Is(err, syscall.ENOSPC) {
			err = nil
		}
	default:
		_, err = a.ApplyAll(ctx, testTask)
	}
	return err
}

// steppedLedger makes each commit two steps, before and after it.
type steppedLedger struct {
	Ledger
	step func(string)
}

func (l *steppedLedger) Commit(ctx context.Context, fns ...func(*store.Tx) error) error {
	l.step("commit:before")
	err := l.Ledger.Commit(ctx, fns...)
	l.step("commit:after")
	return err
}

// template is a workspace and a state folder from which each kill starts. With
// half set, an apply was killed there at that step before.
type template struct {
	dir, state string
	half       int
}

func newTemplate(t *testing.T, act string) template {
	t.Helper()
	tpl := template{dir: t.TempDir(), state: t.TempDir()}
	for rel, content := range three() {
		writeFile(t, filepath.Join(tpl.dir, rel), content)
	}
	w := openWorld(t, tpl.dir, tpl.state, "mod.txt", "sub/del.txt", "new/deep/made.txt")
	w.stageThree()
	if act == store.KindUndo {
		if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if act == actRecover {
		tpl.half = slices.Index(tpl.steps(t, store.KindApply), "mkdir:after") + 1
	}
	return tpl
}

// wantKilled runs the act until the step at which it is killed.
func wantKilled(t *testing.T, tpl template, act string, at int) {
	t.Helper()
	out, err := tpl.child(t.Context(), act, at).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Exited() {
		t.Fatalf("the child was not killed: %v\n%s", err, out)
	}
}

func (tpl template) copy(t *testing.T) template {
	t.Helper()
	c := template{dir: filepath.Join(t.TempDir(), "w"), state: filepath.Join(t.TempDir(), "s")}
	for from, to := range map[string]string{tpl.dir: c.dir, tpl.state: c.state} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(c.state, 0o700); err != nil {
		t.Fatal(err)
	}
	if tpl.half > 0 {
		wantKilled(t, c, store.KindApply, tpl.half)
	}
	return c
}

// child prepares the process that acts on the template's copy.
func (tpl template) child(ctx context.Context, act string, at int, wrap ...string) *exec.Cmd {
	argv := append(wrap, os.Args[0])
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), crashAct+"="+act, crashDir+"="+tpl.dir, crashState+"="+tpl.state, crashAt+"="+strconv.Itoa(at))
	return cmd
}

// steps runs the act to its end and returns the names of its steps.
func (tpl template) steps(t *testing.T, act string) []string {
	t.Helper()
	out, err := tpl.copy(t).child(t.Context(), act, 0).Output()
	if err != nil {
		t.Fatalf("the act fails without a kill: %v", err)
	}
	return strings.Fields(string(out))
}

// TestKillAtEveryStep is state-15: a process that applies a change, a creation
// and a deletion, or takes them back, after a fault or on demand, or recovers
// from a kill, is killed before and after each write, sync, rename and commit.
func TestKillAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, act := range []string{store.KindApply, store.KindUndo, actRollback, actRecover} {
		t.Run("state-15/"+act, func(t *testing.T) {
			t.Parallel()
			tpl := newTemplate(t, act)
			steps := tpl.steps(t, act)
			if len(steps) < 16 {
				t.Fatalf("only %d steps are told: %v", len(steps), steps)
			}
			for i, name := range steps {
				t.Run(fmt.Sprintf("%02d %s", i+1, name), func(t *testing.T) {
					t.Parallel()
					killAndRecover(t, tpl.copy(t), act, i+1)
				})
			}
		})
	}
}

func killAndRecover(t *testing.T, tpl template, act string, at int) {
	wantKilled(t, tpl, act, at)
	old, new := three(), afterThree()
	if act == store.KindUndo {
		old, new = new, old
	}
	wantWhole(t, tpl.dir)

	w := openWorld(t, tpl.dir, tpl.state, "mod.txt", "sub/del.txt", "new/deep/made.txt")
	if _, err := w.applier.Recover(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	got := w.disk()
	isOld, isNew := cmp.Equal(got, old), cmp.Equal(got, new)
	if !isOld && !isNew {
		t.Fatalf("after the recovery the workspace is neither old nor new:\n%v", got)
	}
	want := map[bool]writ.ChangeStatus{true: writ.ChangeApplied, false: writ.ChangeStaged}[isNew]
	if act == store.KindUndo {
		want = map[bool]writ.ChangeStatus{true: writ.ChangeUndone, false: writ.ChangeApplied}[isNew]
	}
	for path, status := range w.status() {
		if status != want {
			t.Errorf("%s is %s, want %s", path, status, want)
		}
	}
	if rows, err := w.store.Applies(t.Context()); err != nil || len(rows) != 0 {
		t.Errorf("open applies: %+v, %v", rows, err)
	}
	if again, err := w.applier.Recover(t.Context(), nil); err != nil || len(again) != 0 {
		t.Errorf("a second recovery does %+v, %v", again, err)
	}
	if act != store.KindUndo {
		if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
			t.Fatal(err)
		}
		wantTree(t, "applied in the end", new, w.disk())
	}
}

// wantWhole checks that each file has one of its versions; temporary files
// may be there.
func wantWhole(t *testing.T, dir string) {
	t.Helper()
	got := readTree(t, dir)
	for rel, versions := range map[string][]string{"keep.txt": {"keep\n"}, "mod.txt": {"old\n", "new\n"}} {
		if content, ok := got[rel]; !ok || !slices.Contains(versions, content) {
			t.Errorf("%s is torn: %q, %v", rel, content, ok)
		}
	}
	for rel, version := range map[string]string{"sub/del.txt": "gone\n", "new/deep/made.txt": "made\n"} {
		if content, ok := got[rel]; ok && content != version {
			t.Errorf("%s is torn: %q", rel, content)
		}
	}
}

// TestNoStepIsUntold counts the system calls that change the workspace, so
// that a step which the seam does not tell of is found.
func TestNoStepIsUntold(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	tpl := newTemplate(t, store.KindApply)
	told := map[string]int{}
	for _, name := range tpl.steps(t, store.KindApply) {
		base, _ := strings.CutSuffix(name, ":before")
		for _, call := range callsOf(base) {
			told[call]++
		}
	}
	c := tpl.copy(t)
	log := filepath.Join(t.TempDir(), "strace.log")
	cmd := c.child(t.Context(), store.KindApply, 0, strace, "-f", "-y", "-o", log, "-e",
		"trace=write,pwrite64,fchmod,fchmodat,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,linkat,ftruncate,openat")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("strace cannot trace here: %v: %s", err, firstLine(out))
	}
	if diff := cmp.Diff(told, tracedIn(t, log, c.dir)); diff != "" {
		t.Errorf("steps told of and system calls seen (-told +seen):\n%s", diff)
	}
}

// callsOf names the system calls of a step on Linux. The sync of the parent
// belongs to making a folder.
func callsOf(step string) []string {
	switch step {
	case "create":
		return []string{"openat"}
	case "write":
		return []string{"write"}
	case "chmod":
		return []string{"fchmod"}
	case "sync", "syncdir":
		return []string{"fsync"}
	case "seal", "rename":
		return []string{"rename"}
	case "discard":
		return []string{"unlinkat"}
	case "mkdir":
		return []string{"mkdirat", "fsync"}
	default: // verify reads, a commit is the store's, and :after is the same step
		return nil
	}
}

func firstLine(out []byte) string {
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return string(line)
}

// tracedIn counts the calls of a strace log that change the folder.
func tracedIn(t *testing.T, log, dir string) map[string]int {
	t.Helper()
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	call := regexp.MustCompile(`^\d+ +(\w+)\(.*` + regexp.QuoteMeta(dir))
	seen := map[string]int{}
	for scan := bufio.NewScanner(f); scan.Scan(); {
		m := call.FindStringSubmatch(scan.Text())
		switch {
		case m == nil || strings.Contains(scan.Text(), " = -1 "):
		case m[1] == "openat" && !strings.Contains(scan.Text(), "O_CREAT"):
		case strings.HasPrefix(m[1], "rename"):
			seen["rename"]++
		default:
			seen[m[1]]++
		}
	}
	return seen
}
