-- name: project_add
INSERT INTO project (project_id, workspace, created_at) VALUES ($1, $2, $3)
ON CONFLICT (workspace) DO NOTHING;

-- name: project_of
SELECT project_id FROM project WHERE workspace = $1;

-- name: task_add
INSERT INTO task (id, project_id, workspace, session_id, state, outcome, created_at, updated_at, data)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: task_save
UPDATE task SET session_id = $2, state = $3, outcome = $4, updated_at = $5, data = $6
WHERE id = $1 AND (state = $3 OR state NOT IN ('DONE', 'CANCELLED'));

-- name: task_state
SELECT state FROM task WHERE id = $1;

-- name: task_get
SELECT data FROM task WHERE id = $1;

-- name: task_like
SELECT data FROM task WHERE substr(id, 1, length(CAST($1 AS TEXT))) = $1 ORDER BY id LIMIT 2;

-- name: task_list
SELECT data FROM task ORDER BY created_at DESC, id DESC LIMIT $1;

-- name: task_list_in
SELECT data FROM task WHERE workspace = $1 ORDER BY created_at DESC, id DESC LIMIT $2;

-- name: report_put
INSERT INTO report (project_id, task_id, updated_at, data)
VALUES ((SELECT project_id FROM task WHERE id = $1), $1, $2, $3)
ON CONFLICT (task_id) DO UPDATE SET updated_at = excluded.updated_at, data = excluded.data;

-- name: report_get
SELECT data FROM report WHERE task_id = $1;

-- name: lease_get
SELECT holder, until FROM lease WHERE task_id = $1;

-- name: lease_take
INSERT INTO lease (task_id, project_id, holder, until)
VALUES ($1, (SELECT project_id FROM task WHERE id = $1), $2, $3)
ON CONFLICT (task_id) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE lease.holder = excluded.holder OR lease.until <= $4
RETURNING holder;

-- name: lease_drop
DELETE FROM lease WHERE task_id = $1 AND holder = $2;
