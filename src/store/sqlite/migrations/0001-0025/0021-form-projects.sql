-- Forms belong to projects, and a slug is unique in its project. A deleted form is in none.
-- The table is made again because a UNIQUE column stays: with `foreign_keys` on, dropping it would delete every submission.
CREATE TABLE forms_21 (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL UNIQUE,
  enabled INTEGER NOT NULL,
  uploads INTEGER NOT NULL,
  success_url TEXT,
  error_url TEXT,
  allowed_origins TEXT NOT NULL,
  blocked_senders TEXT NOT NULL,
  rate_limit TEXT,
  max_file_size INTEGER,
  max_files INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- A form that is deleted is gone for everybody at once; its submissions are removed in steps.
  deleted INTEGER NOT NULL DEFAULT 0,
  -- The settings without a column of their own, as a JSON object of those that differ from the default.
  settings TEXT NOT NULL DEFAULT '{}',
  -- Whether an import brought ids that do not begin with about the time of their submission, so that the submissions from
  -- some time can have any id.
  foreign_ids INTEGER NOT NULL DEFAULT 0,
  -- Null is the project `default`.
  project_id INTEGER REFERENCES projects (id) ON DELETE SET NULL
) STRICT;
INSERT INTO forms_21 (id, slug, name, key, enabled, uploads, success_url, error_url, allowed_origins, blocked_senders,
    rate_limit, max_file_size, max_files, created_at, updated_at, deleted, settings, foreign_ids)
  SELECT id, slug, name, key, enabled, uploads, success_url, error_url, allowed_origins, blocked_senders,
    rate_limit, max_file_size, max_files, created_at, updated_at, deleted, settings, foreign_ids FROM forms;
DROP TABLE forms;
ALTER TABLE forms_21 RENAME TO forms;
CREATE UNIQUE INDEX forms_by_slug ON forms (slug, coalesce(project_id, 0));
CREATE INDEX forms_by_project ON forms (project_id);

-- The address that notifications of its forms come from, the colour of their pages, as `#rrggbb`, and the most submissions a
-- day and bytes that they may hold; null for the default.
ALTER TABLE projects ADD COLUMN mail_from TEXT;
ALTER TABLE projects ADD COLUMN accent TEXT;
ALTER TABLE projects ADD COLUMN max_submissions INTEGER;
ALTER TABLE projects ADD COLUMN max_storage INTEGER;

-- The bytes that the forms of a project with a limit hold. It is derived: a missing row is counted when it is needed.
CREATE TABLE project_storage (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  bytes INTEGER NOT NULL
) STRICT;

-- Forms that exist are in `default`, which is made where there is none.
INSERT INTO projects (slug, name, key, created_at)
  WITH RECURSIVE places (place) AS (SELECT 1 UNION ALL SELECT place + 1 FROM places WHERE place < 12)
  SELECT 'default', 'default',
    (SELECT group_concat(character, '') FROM (
      SELECT iif(place IN (5, 9), '-', '')
        || substr('abcdefghijklmnopqrstuvwxyz0123456789', 1 + (random() & 0x7fffffff) % 36, 1) AS character
      FROM places ORDER BY place)),
    (SELECT min(created_at) FROM forms WHERE deleted = 0)
  WHERE EXISTS (SELECT 1 FROM forms WHERE deleted = 0) AND NOT EXISTS (SELECT 1 FROM projects WHERE slug = 'default');
UPDATE forms SET project_id = (SELECT id FROM projects WHERE slug = 'default') WHERE deleted = 0;
UPDATE changes SET project_id = (SELECT id FROM projects WHERE slug = 'default')
  WHERE kind = 'form' AND project_id IS NULL;
