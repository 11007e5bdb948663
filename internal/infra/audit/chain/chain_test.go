package chain

import "testing"

// The encoding must never change under rows that are stored already.
func TestHashIsTheRecordedOne(t *testing.T) {
	t.Parallel()
	row := Row{Seq: 1, TimeMS: 1_893_553_445_678, TaskID: "t_1", Type: "task.created", Agent: "", DataSHA256: Sum([]byte(`{}`))}
	if got, want := Sum([]byte(`{}`)), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"; got != want {
		t.Errorf("Sum is %s", got)
	}
	first := Hash(Genesis, row)
	if want := "8800efad59bd4fa4de5204f576bdb308c9d818c067606582ccd234d73d077fe1"; first != want {
		t.Errorf("first hash is %s", first)
	}
	row.Seq, row.Agent = 2, "coder"
	if got, want := Hash(first, row), "1d3333151c80cbe716bc0210c69e525e3fde6cb70fdccc7bcc4d36242ddfe45c"; got != want {
		t.Errorf("second hash is %s", got)
	}
}

// Rows that differ in one field, or only in where one field ends and the next
// begins, have different hashes.
func TestHashCoversEveryFieldAndItsBorders(t *testing.T) {
	t.Parallel()
	base := Row{Seq: 1, TimeMS: 2, TaskID: "t_1", Type: "error", Agent: "coder", DataSHA256: "ab"}
	change := func(fn func(*Row)) Row {
		r := base
		fn(&r)
		return r
	}
	seen := map[string]string{}
	for name, h := range map[string]string{
		"base":           Hash("p", base),
		"other prev":     Hash("q", base),
		"no prev":        Hash(Genesis, base),
		"seq":            Hash("p", change(func(r *Row) { r.Seq = 2 })),
		"time":           Hash("p", change(func(r *Row) { r.TimeMS = 3 })),
		"seq and time":   Hash("p", change(func(r *Row) { r.Seq, r.TimeMS = 2, 1 })),
		"task":           Hash("p", change(func(r *Row) { r.TaskID = "t_2" })),
		"type":           Hash("p", change(func(r *Row) { r.Type = "errors" })),
		"agent":          Hash("p", change(func(r *Row) { r.Agent = "coders" })),
		"data":           Hash("p", change(func(r *Row) { r.DataSHA256 = "ac" })),
		"border 1":       Hash("p", change(func(r *Row) { r.Type, r.Agent = "errorc", "oder" })),
		"border 2":       Hash("p", change(func(r *Row) { r.Agent, r.DataSHA256 = "codera", "b" })),
		"border 3":       Hash("pt", change(func(r *Row) { r.TaskID = "_1" })),
		"an empty agent": Hash("p", change(func(r *Row) { r.Agent = "" })),
	} {
		if other, twice := seen[h]; twice {
			t.Errorf("%s and %s have the same hash", name, other)
		}
		seen[h] = name
	}
}
