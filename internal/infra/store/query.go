package store

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

// query names one statement of queries/*.sql.
type query string

// The statements, by file.
const (
	qProjectAdd query = "project_add"
	qProjectOf  query = "project_of"
	qTaskAdd    query = "task_add"
	qTaskSave   query = "task_save"
	qTaskState  query = "task_state"
	qTaskGet    query = "task_get"
	qTaskLike   query = "task_like"
	qTaskList   query = "task_list"
	qTaskListIn query = "task_list_in"
	qReportPut  query = "report_put"
	qReportGet  query = "report_get"
	qLeaseGet   query = "lease_get"
	qLeaseTake  query = "lease_take"
	qLeaseDrop  query = "lease_drop"

	qEventLock       query = "event_lock"
	qEventAdd        query = "event_add"
	qEventHead       query = "event_head"
	qEventAfter      query = "event_after"
	qEventErase      query = "event_erase"
	qAuditByTime     query = "audit_by_time"
	qAuditByTask     query = "audit_by_task"
	qAuditHeads      query = "audit_heads"
	qCheckpointDue   query = "checkpoint_due"
	qCheckpointMark  query = "checkpoint_mark"
	qCheckpointAdd   query = "checkpoint_add"
	qCheckpointLast  query = "checkpoint_last"
	qCheckpointAfter query = "checkpoint_after"
	qTurnTake        query = "turn_take"

	qBlobPut    query = "blob_put"
	qBlobGet    query = "blob_get"
	qChangePut  query = "change_put"
	qChangeDrop query = "change_drop"
	qChangeList query = "change_list"
	qCallPut    query = "call_put"
	qCallGet    query = "call_get"
	qRunPut     query = "run_put"
	qRunList    query = "run_list"
	qHoldPut    query = "hold_put"
	qHoldList   query = "hold_list"
	qApplyAdd   query = "apply_add"
	qApplySave  query = "apply_save"
	qApplyOpen  query = "apply_open"
	qLockOthers query = "lock_others"
	qLockPut    query = "lock_put"
	qLockDrop   query = "lock_drop"
	qLockList   query = "lock_list"
)

//go:embed queries/*.sql
var queryFiles embed.FS

// loadQueries reads the statements once for all stores of the process; the map
// is never written afterwards.
var loadQueries = sync.OnceValues(func() (map[query]string, error) {
	entries, err := queryFiles.ReadDir("queries")
	if err != nil {
		return nil, fmt.Errorf("read queries: %w", err)
	}
	all := map[query]string{}
	for _, e := range entries {
		text, err := queryFiles.ReadFile("queries/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read queries: %w", err)
		}
		if err := splitQueries(string(text), all); err != nil {
			return nil, fmt.Errorf("read queries in %s: %w", e.Name(), err)
		}
	}
	return all, nil
})

// splitQueries cuts a file at its "-- name:" lines.
func splitQueries(text string, into map[query]string) error {
	const mark = "-- name: "
	for _, part := range strings.Split("\n"+text, "\n"+mark)[1:] {
		name, body, _ := strings.Cut(part, "\n")
		q := query(strings.TrimSpace(name))
		body = strings.TrimSuffix(strings.TrimSpace(body), ";")
		if _, twice := into[q]; twice || body == "" {
			return fmt.Errorf("query %q is empty or there twice", q)
		}
		into[q] = body
	}
	return nil
}
