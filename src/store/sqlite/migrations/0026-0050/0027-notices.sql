-- A target is that of a form, or of a project, of which it gets notices: of one environment, or with null of all; of some
-- events, a JSON list, or with null of all; gathered for `digest` seconds, or with null each at once.
CREATE TABLE targets_27 (
  id TEXT PRIMARY KEY,
  form_id INTEGER REFERENCES forms (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  url TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  secrets TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  environment_id INTEGER REFERENCES environments (id) ON DELETE CASCADE,
  events TEXT,
  digest INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO targets_27 (id, form_id, kind, url, enabled, secrets, created_at, updated_at)
  SELECT id, form_id, kind, url, enabled, secrets, created_at, updated_at FROM targets;
DROP TABLE targets;
ALTER TABLE targets_27 RENAME TO targets;
CREATE INDEX targets_by_form ON targets (form_id);
CREATE INDEX targets_by_project ON targets (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX targets_by_environment ON targets (environment_id) WHERE environment_id IS NOT NULL;

-- A delivery is of a submission, or of notices, which have a row of their own.
CREATE TABLE deliveries_27 (
  id BLOB PRIMARY KEY,
  submission_seq INTEGER REFERENCES submissions (seq) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  status INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  holder TEXT,
  code INTEGER,
  error TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO deliveries_27 (id, submission_seq, kind, target, status, attempts, due_at, holder, code, error)
  SELECT id, submission_seq, kind, target, status, attempts, due_at, holder, code, error FROM deliveries;
DROP TABLE deliveries;
ALTER TABLE deliveries_27 RENAME TO deliveries;
CREATE UNIQUE INDEX deliveries_by_submission ON deliveries (submission_seq, kind, target);
-- All mail goes through one server, so it waits in one lane.
CREATE INDEX deliveries_queued
  ON deliveries (CASE WHEN kind IN ('mail', 'notification', 'autoreply') THEN '' ELSE target END, due_at)
  WHERE status = 0;
CREATE INDEX deliveries_ended ON deliveries (status, due_at) WHERE status <> 0;
CREATE INDEX deliveries_failed ON deliveries (id) WHERE status = 2;

-- The notices of a delivery: of one event, or a digest of `count` from `since` on. `open_for` is the id of the target while
-- more may be added, which ends with the first attempt.
CREATE TABLE notices (
  delivery BLOB PRIMARY KEY REFERENCES deliveries (id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  environment TEXT,
  event TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,
  count INTEGER NOT NULL,
  open_for TEXT UNIQUE
) STRICT, WITHOUT ROWID;
CREATE INDEX notices_by_project ON notices (project_id);
-- The first notices of a delivery, numbered from 1, as JSON.
CREATE TABLE notice_bodies (
  id INTEGER PRIMARY KEY,
  delivery BLOB NOT NULL REFERENCES notices (delivery) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (delivery, number)
) STRICT;

-- The expiry of a flag, and the time since when it is stale, of which notice was given.
ALTER TABLE flag_values ADD COLUMN noticed_expiry INTEGER;
CREATE INDEX flag_values_expiring ON flag_values (expires_at)
  WHERE expires_at IS NOT NULL AND (noticed_expiry IS NULL OR noticed_expiry <> expires_at);
CREATE TABLE noticed_stale (
  flag_id INTEGER PRIMARY KEY REFERENCES flags (id) ON DELETE CASCADE,
  since INTEGER NOT NULL
) STRICT;
