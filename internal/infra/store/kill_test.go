package store

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/writ-dev/writ"
)

// killEnv makes the test binary write into the store in that folder for ever.
const killEnv = "WRIT_TEST_KILL_CHILD"

// State case 15: a process that is killed between or inside of writes loses
// nothing that Write said was written, and leaves nothing half written.
func TestAKilledWriterLosesNothing(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(killEnv); dir != "" {
		writeForEver(t, dir)
		return
	}
	dir := t.TempDir()
	addTasks(t, place{opts: Options{Dir: dir}}.open(t), "t_1")
	total := 0
	for round := range 4 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAKilledWriterLosesNothing$")
		cmd.Env = append(os.Environ(), killEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		told := 0
		lines := bufio.NewScanner(out)
		for n := 0; n < 3+7*round && lines.Scan(); n++ {
			if told, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatalf("the child said %q", lines.Text())
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it still said before it died
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				told = n
			}
		}
		_ = cmd.Wait() // it was killed
		st := place{opts: Options{Dir: dir}}.open(t)
		events, err := st.Events(t.Context(), "t_1", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if told <= total || len(events) < told || len(events)%3 != 0 {
			t.Fatalf("round %d: %d events, %d were said to be written", round, len(events), told)
		}
		wantSeqs(t, st, "t_1", len(events))
		total = len(events)
	}
}

// writeForEver appends three events at a time and tells the last number.
func writeForEver(t *testing.T, dir string) {
	st, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for {
		events := make([]writ.Event, 3)
		for i := range events {
			events[i] = writ.Event{Type: writ.EventError, Time: start, Data: json.RawMessage(`{}`)}
		}
		if err := st.Write(context.Background(), func(tx *Tx) error { return tx.AppendEvents("t_1", events) }); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Println(events[2].Seq); err != nil {
			return // nobody listens any more
		}
	}
}
