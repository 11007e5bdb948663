-- name: event_lock
UPDATE task SET last_seq = last_seq WHERE id = $1 RETURNING project_id, last_seq, last_time, head;

-- name: event_add
INSERT INTO event (project_id, task_id, seq, time, type, agent, data, data_sha256, prev, hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: event_head
UPDATE task SET last_seq = $2, last_time = $3, head = $4 WHERE id = $1;

-- name: event_after
SELECT seq, time, type, agent, data FROM event WHERE task_id = $1 AND seq > $2 ORDER BY seq LIMIT $3;

-- name: event_erase
UPDATE event SET data = NULL WHERE task_id = $1 AND time < $2 AND data IS NOT NULL;

-- name: audit_by_time
SELECT time, task_id, seq, type, agent, data, data_sha256, prev, hash FROM event
WHERE (time, task_id, seq) > ($1, $2, $3) ORDER BY time, task_id, seq LIMIT $4;

-- name: audit_by_task
SELECT time, task_id, seq, type, agent, data, data_sha256, prev, hash FROM event
WHERE (task_id, seq) > ($1, $2) ORDER BY task_id, seq LIMIT $3;

-- name: audit_heads
SELECT id, last_seq, head, checked_seq FROM task ORDER BY id;

-- name: checkpoint_due
SELECT id, last_seq, head FROM task WHERE last_seq > checked_seq ORDER BY id;

-- name: checkpoint_mark
UPDATE task SET checked_seq = $2 WHERE id = $1;

-- name: checkpoint_add
INSERT INTO checkpoint (n, at, body, signature) VALUES ($1, $2, $3, $4);

-- name: checkpoint_last
SELECT n, at, body, signature FROM checkpoint ORDER BY n DESC LIMIT 1;

-- name: checkpoint_after
SELECT n, at, body, signature FROM checkpoint WHERE n > $1 ORDER BY n LIMIT $2;

-- name: turn_take
UPDATE turn SET n = n + 1 WHERE name = $1 RETURNING n;
