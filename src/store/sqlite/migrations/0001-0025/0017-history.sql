-- Changes of forms, and of projects as a whole, are in the history of no project.
CREATE TABLE changes_17 (
  -- The setup version that the change made.
  revision INTEGER PRIMARY KEY,
  -- Null for a change in no project: of a form, or the creation or deletion of a project.
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  -- Null for what concerns every environment.
  environment TEXT,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  -- As JSON; null before it was made, and after it was deleted.
  before TEXT,
  after TEXT,
  why TEXT
) STRICT;
INSERT INTO changes_17 (revision, project_id, environment, kind, name, at, who, before, after, why)
  SELECT revision, project_id, environment, kind, name, at, who, before, after, why FROM changes;
DROP TABLE changes;
ALTER TABLE changes_17 RENAME TO changes;
CREATE INDEX changes_by_name ON changes (project_id, name, revision);
CREATE INDEX changes_by_project ON changes (project_id, revision);
CREATE INDEX changes_by_who ON changes (project_id, who, revision);
CREATE INDEX changes_by_kind ON changes (project_id, kind, revision);
