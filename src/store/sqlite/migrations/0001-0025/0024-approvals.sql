-- Approvals that a change of the flags of an environment needs.
ALTER TABLE environments ADD COLUMN approvals INTEGER NOT NULL DEFAULT 0;
-- The change that was proposed and reviewed, or bypassed it, as JSON; null for a direct change.
ALTER TABLE changes ADD COLUMN review TEXT;
CREATE TABLE proposals (
  id TEXT PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- As long as it may be applied, open; whether it is approved or expired follows from the rest.
  status TEXT NOT NULL,
  who TEXT NOT NULL,
  type TEXT NOT NULL,
  why TEXT,
  summary TEXT NOT NULL,
  -- The operation with its names and body, as JSON.
  operation TEXT NOT NULL,
  -- Slugs, as JSON.
  environments TEXT NOT NULL,
  -- What it changed when it was planned last, as JSON, at that version of the setup.
  differences TEXT NOT NULL,
  version INTEGER NOT NULL,
  etag TEXT NOT NULL,
  reviews TEXT NOT NULL,
  bypass INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  applied_by TEXT,
  applied_at INTEGER
) STRICT;
CREATE INDEX proposals_by_project ON proposals (project_id, created_at, id);
CREATE INDEX proposals_by_status ON proposals (status, expires_at);
-- Webhooks of a project, which get its changes.
CREATE TABLE project_targets (
  id TEXT PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  -- Signs each delivery.
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX project_targets_by_project ON project_targets (project_id, created_at);
CREATE TABLE change_deliveries (
  -- Ordered by time.
  id TEXT PRIMARY KEY,
  target_id TEXT NOT NULL REFERENCES project_targets (id) ON DELETE CASCADE,
  body TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- Null until it is delivered, or has failed for the last time.
  ended_at INTEGER,
  error TEXT
) STRICT;
CREATE INDEX change_deliveries_by_target ON change_deliveries (target_id);
CREATE INDEX change_deliveries_due ON change_deliveries (due_at) WHERE ended_at IS NULL;
