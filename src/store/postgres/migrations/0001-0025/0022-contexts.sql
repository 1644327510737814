-- The place of an environment in its project, in the order of which lists show them.
ALTER TABLE environments ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
UPDATE environments SET position = (SELECT count(*) FROM environments o WHERE o.project_id = environments.project_id AND o.id <= environments.id);
-- Contexts by name, for which the flags of a project are tried.
CREATE TABLE test_contexts (
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT COLLATE "C" NOT NULL,
  -- A JSON object.
  context TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, name)
);
