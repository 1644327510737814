-- Approvals that a change of the flags of an environment needs.
ALTER TABLE environments ADD COLUMN approvals INTEGER NOT NULL DEFAULT 0;
-- The change that was proposed and reviewed, or bypassed it, as JSON; null for a direct change.
ALTER TABLE changes ADD COLUMN review TEXT COLLATE "C";
CREATE TABLE proposals (
  id TEXT COLLATE "C" PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- As long as it may be applied, open; whether it is approved or expired follows from the rest.
  status TEXT COLLATE "C" NOT NULL,
  who TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  why TEXT COLLATE "C",
  summary TEXT COLLATE "C" NOT NULL,
  -- The operation with its names and body, as JSON.
  operation TEXT COLLATE "C" NOT NULL,
  -- Slugs, as JSON.
  environments TEXT COLLATE "C" NOT NULL,
  -- What it changed when it was planned last, as JSON, at that version of the setup.
  differences TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  etag TEXT COLLATE "C" NOT NULL,
  reviews TEXT COLLATE "C" NOT NULL,
  bypass INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  applied_by TEXT COLLATE "C",
  applied_at BIGINT
);
CREATE INDEX proposals_by_project ON proposals (project_id, created_at, id);
CREATE INDEX proposals_by_status ON proposals (status, expires_at);
-- Webhooks of a project, which get its changes.
CREATE TABLE project_targets (
  id TEXT COLLATE "C" PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  url TEXT COLLATE "C" NOT NULL,
  -- Signs each delivery.
  secret TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX project_targets_by_project ON project_targets (project_id, created_at);
CREATE TABLE change_deliveries (
  -- Ordered by time.
  id TEXT COLLATE "C" PRIMARY KEY,
  target_id TEXT COLLATE "C" NOT NULL REFERENCES project_targets (id) ON DELETE CASCADE,
  body TEXT COLLATE "C" NOT NULL,
  attempts INTEGER NOT NULL,
  due_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  -- Null until it is delivered, or has failed for the last time.
  ended_at BIGINT,
  error TEXT COLLATE "C"
);
CREATE INDEX change_deliveries_by_target ON change_deliveries (target_id);
CREATE INDEX change_deliveries_due ON change_deliveries (due_at) WHERE ended_at IS NULL;
