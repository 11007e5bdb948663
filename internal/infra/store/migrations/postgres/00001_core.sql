-- +goose Up
CREATE TABLE project (
    project_id TEXT   NOT NULL PRIMARY KEY,
    workspace  TEXT   NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);

-- last_seq, head and last_time belong to the task's chain of events;
-- checked_seq is the last event that a signed checkpoint covers.
CREATE TABLE task (
    id          TEXT   NOT NULL PRIMARY KEY,
    project_id  TEXT   NOT NULL REFERENCES project (project_id),
    workspace   TEXT   NOT NULL,
    session_id  TEXT   NOT NULL,
    state       TEXT   NOT NULL,
    outcome     TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    last_seq    BIGINT NOT NULL DEFAULT 0,
    last_time   BIGINT NOT NULL DEFAULT 0,
    head        TEXT   NOT NULL DEFAULT '',
    checked_seq BIGINT NOT NULL DEFAULT 0,
    data        TEXT   NOT NULL
);
CREATE INDEX task_by_time ON task (created_at, id);
CREATE INDEX task_by_workspace ON task (workspace, created_at, id);

-- data is NULL once the payload was erased; its hash stays.
CREATE TABLE event (
    project_id  TEXT   NOT NULL,
    task_id     TEXT   NOT NULL REFERENCES task (id),
    seq         BIGINT NOT NULL,
    time        BIGINT NOT NULL,
    type        TEXT   NOT NULL,
    agent       TEXT   NOT NULL,
    data        TEXT,
    data_sha256 TEXT   NOT NULL,
    prev        TEXT   NOT NULL,
    hash        TEXT   NOT NULL,
    PRIMARY KEY (task_id, seq)
);
CREATE INDEX event_by_time ON event (time, task_id, seq);

CREATE TABLE blob (
    sha256     TEXT   NOT NULL PRIMARY KEY,
    project_id TEXT   NOT NULL DEFAULT '',
    size       BIGINT NOT NULL,
    content    BYTEA  NOT NULL
);

CREATE TABLE change (
    project_id TEXT NOT NULL,
    task_id    TEXT NOT NULL REFERENCES task (id),
    path       TEXT NOT NULL,
    status     TEXT NOT NULL,
    data       TEXT NOT NULL,
    PRIMARY KEY (task_id, path)
);

CREATE TABLE call (
    project_id  TEXT   NOT NULL,
    task_id     TEXT   NOT NULL REFERENCES task (id),
    call_key    TEXT   NOT NULL,
    kind        TEXT   NOT NULL,
    agent       TEXT   NOT NULL,
    step        TEXT   NOT NULL,
    attempt     BIGINT NOT NULL,
    round       BIGINT NOT NULL,
    request_sha TEXT   NOT NULL,
    response    TEXT   NOT NULL,
    error       TEXT   NOT NULL,
    usage       TEXT   NOT NULL,
    cost_usd    DOUBLE PRECISION,
    duration_ms BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (task_id, call_key)
);

CREATE TABLE run (
    project_id TEXT   NOT NULL,
    task_id    TEXT   NOT NULL REFERENCES task (id),
    id         TEXT   NOT NULL,
    agent      TEXT   NOT NULL,
    started_at BIGINT NOT NULL,
    data       TEXT   NOT NULL,
    PRIMARY KEY (task_id, id)
);

CREATE TABLE hold (
    project_id TEXT   NOT NULL,
    task_id    TEXT   NOT NULL REFERENCES task (id),
    id         TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    closed_at  BIGINT NOT NULL,
    data       TEXT   NOT NULL,
    PRIMARY KEY (task_id, id)
);

CREATE TABLE report (
    project_id TEXT   NOT NULL,
    task_id    TEXT   NOT NULL PRIMARY KEY REFERENCES task (id),
    updated_at BIGINT NOT NULL,
    data       TEXT   NOT NULL
);

CREATE TABLE apply (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id TEXT   NOT NULL,
    task_id    TEXT   NOT NULL REFERENCES task (id),
    workspace  TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    status     TEXT   NOT NULL,
    updated_at BIGINT NOT NULL,
    entries    TEXT   NOT NULL
);
CREATE INDEX apply_by_status ON apply (status, id);

-- path_key is the absolute path without regard to case or Unicode form, so
-- that tasks whose workspaces lie inside one another see each other.
CREATE TABLE path_lock (
    path_key   TEXT   NOT NULL PRIMARY KEY,
    project_id TEXT   NOT NULL,
    task_id    TEXT   NOT NULL REFERENCES task (id),
    workspace  TEXT   NOT NULL,
    path       TEXT   NOT NULL,
    taken_at   BIGINT NOT NULL
);
CREATE INDEX path_lock_by_task ON path_lock (task_id);

CREATE TABLE lease (
    task_id    TEXT   NOT NULL PRIMARY KEY REFERENCES task (id),
    project_id TEXT   NOT NULL,
    holder     TEXT   NOT NULL,
    until      BIGINT NOT NULL
);

CREATE TABLE checkpoint (
    n          BIGINT NOT NULL PRIMARY KEY,
    project_id TEXT   NOT NULL DEFAULT '',
    at         BIGINT NOT NULL,
    body       TEXT   NOT NULL,
    signature  TEXT   NOT NULL
);

-- One row for each thing that must be done by one writer at a time: updating
-- it makes the others wait, on either engine, and counts the turns.
CREATE TABLE turn (
    name       TEXT   NOT NULL PRIMARY KEY,
    project_id TEXT   NOT NULL DEFAULT '',
    n          BIGINT NOT NULL
);
INSERT INTO turn (name, n) VALUES ('lock', 0), ('checkpoint', 0);
