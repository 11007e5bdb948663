-- name: blob_put
INSERT INTO blob (sha256, size, content) VALUES ($1, $2, $3) ON CONFLICT (sha256) DO NOTHING;

-- name: blob_get
SELECT content FROM blob WHERE sha256 = $1;

-- name: change_put
INSERT INTO change (project_id, task_id, path, status, data)
VALUES ((SELECT project_id FROM task WHERE id = $1), $1, $2, $3, $4)
ON CONFLICT (task_id, path) DO UPDATE SET status = excluded.status, data = excluded.data;

-- name: change_drop
DELETE FROM change WHERE task_id = $1 AND path = $2;

-- name: change_list
SELECT data FROM change WHERE task_id = $1 ORDER BY path;

-- name: call_put
INSERT INTO call (project_id, task_id, call_key, kind, agent, step, attempt, round, request_sha,
    response, error, usage, cost_usd, duration_ms, at)
VALUES ((SELECT project_id FROM task WHERE id = $1), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (task_id, call_key) DO UPDATE SET kind = excluded.kind, agent = excluded.agent, step = excluded.step,
    attempt = excluded.attempt, round = excluded.round, request_sha = excluded.request_sha,
    response = excluded.response, error = excluded.error, usage = excluded.usage, cost_usd = excluded.cost_usd,
    duration_ms = excluded.duration_ms, at = excluded.at
WHERE call.error <> '';

-- name: call_get
SELECT kind, agent, step, attempt, round, request_sha, response, error, usage, cost_usd, duration_ms, at
FROM call WHERE task_id = $1 AND call_key = $2;

-- name: run_put
INSERT INTO run (project_id, task_id, id, agent, started_at, data)
VALUES ((SELECT project_id FROM task WHERE id = $1), $1, $2, $3, $4, $5)
ON CONFLICT (task_id, id) DO UPDATE SET data = excluded.data;

-- name: run_list
SELECT data FROM run WHERE task_id = $1 ORDER BY started_at, id;

-- name: hold_put
INSERT INTO hold (project_id, task_id, id, kind, created_at, expires_at, closed_at, data)
VALUES ((SELECT project_id FROM task WHERE id = $1), $1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (task_id, id) DO UPDATE SET expires_at = excluded.expires_at, closed_at = excluded.closed_at,
    data = excluded.data
WHERE hold.closed_at = 0 OR hold.data = excluded.data;

-- name: hold_list
SELECT data FROM hold WHERE task_id = $1 ORDER BY created_at, id;

-- name: apply_add
INSERT INTO apply (project_id, task_id, workspace, kind, status, updated_at, entries)
VALUES ((SELECT project_id FROM task WHERE id = $1), $1, $2, $3, $4, $5, $6) RETURNING id;

-- name: apply_save
UPDATE apply SET status = $2, updated_at = $3, entries = $4 WHERE id = $1;

-- name: apply_open
SELECT id, task_id, workspace, kind, status, entries FROM apply WHERE status = 'begun' ORDER BY id;

-- name: lock_others
SELECT l.path_key, l.path, l.task_id FROM path_lock l JOIN task t ON t.id = l.task_id
WHERE l.task_id <> $1 AND t.state NOT IN ('DONE', 'CANCELLED')
    AND NOT EXISTS (SELECT 1 FROM lease e WHERE e.task_id = l.task_id AND e.until <= $2);

-- name: lock_put
INSERT INTO path_lock (path_key, project_id, task_id, workspace, path, taken_at)
VALUES ($1, (SELECT project_id FROM task WHERE id = $2), $2, $3, $4, $5)
ON CONFLICT (path_key) DO UPDATE SET project_id = excluded.project_id, task_id = excluded.task_id,
    workspace = excluded.workspace, path = excluded.path, taken_at = excluded.taken_at;

-- name: lock_drop
DELETE FROM path_lock WHERE task_id = $1;

-- name: lock_list
SELECT workspace, path, task_id, taken_at FROM path_lock ORDER BY path_key;
