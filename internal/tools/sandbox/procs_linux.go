package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// proc is one process below the warden.
type proc struct {
	pid, parent int
	state       byte
	pages       int64 // resident
}

// descendants lists the live processes below this one. A process that ends or
// starts meanwhile may be missed; callers repeat until nothing is left.
func descendants() []proc {
	all := make(map[int]proc)
	children := make(map[int][]int)
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	names, _ := dir.Readdirnames(-1)
	_ = dir.Close()
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := readProc(pid); ok {
			all[pid] = p
			children[p.parent] = append(children[p.parent], pid)
		}
	}
	var out []proc
	queue := children[os.Getpid()]
	for len(queue) > 0 {
		pid := queue[0]
		queue = append(queue[1:], children[pid]...)
		out = append(out, all[pid])
	}
	return out
}

// readProc parses /proc/PID/stat; the name in brackets may hold anything, so
// the fields are counted from the last bracket.
func readProc(pid int) (proc, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return proc{}, false
	}
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return proc{}, false
	}
	f := strings.Fields(string(data[end+1:]))
	if len(f) < 22 {
		return proc{}, false
	}
	parent, err := strconv.Atoi(f[1])
	if err != nil {
		return proc{}, false
	}
	pages, err := strconv.ParseInt(f[21], 10, 64)
	if err != nil {
		return proc{}, false
	}
	return proc{pid: pid, parent: parent, state: f[0][0], pages: pages}, true
}

// overLimit says which limit the command's processes exceed together.
func overLimit(spec Spec) string {
	var count int
	var bytes int64
	for _, p := range descendants() {
		if p.state == 'Z' {
			continue
		}
		count++
		bytes += p.pages * int64(os.Getpagesize())
	}
	switch {
	case count > spec.Processes:
		return fmt.Sprintf("more than %d processes", spec.Processes)
	case bytes > spec.Memory:
		return fmt.Sprintf("more than %d MiB of memory", spec.Memory>>20)
	}
	return ""
}

// endAll ends every process below this one and returns how many there were.
// All are stopped before any is killed, so that a bomb cannot refill what is
// taken from it: a stopped process does not fork.
func endAll() int {
	seen := make(map[int]bool)
	for {
		fresh := false
		var alive []int
		for _, p := range descendants() {
			if p.state == 'Z' {
				continue
			}
			alive = append(alive, p.pid)
			if !seen[p.pid] {
				seen[p.pid], fresh = true, true
				_ = unix.Kill(p.pid, unix.SIGSTOP)
			}
		}
		switch {
		case len(alive) == 0:
			return len(seen)
		case fresh:
		default:
			for _, pid := range alive {
				_ = unix.Kill(pid, unix.SIGKILL)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// tasksOf counts the tasks (threads) that a user runs on this machine, which is
// what RLIMIT_NPROC compares with.
func tasksOf(uid int) int {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	total := 0
	for _, d := range dirs {
		if _, err := strconv.Atoi(d.Name()); err != nil {
			continue
		}
		var st unix.Stat_t
		if unix.Stat("/proc/"+d.Name(), &st) != nil || int(st.Uid) != uid {
			continue
		}
		if tasks, err := os.ReadDir("/proc/" + d.Name() + "/task"); err == nil {
			total += len(tasks)
		}
	}
	return total
}
