-- The source code that reads the flags of a project, at one branch, as it was last uploaded. `name` is what its sender
-- calls the code.
CREATE TABLE code_uploads (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  branch TEXT NOT NULL,
  name TEXT NOT NULL,
  repository_url TEXT,
  uploaded_at INTEGER NOT NULL,
  UNIQUE (project_id, branch, name)
) STRICT;

-- Where that code names a flag, or what is not a flag, as a JSON list of [file, line, text]. A long list is in parts.
CREATE TABLE code_references (
  id INTEGER PRIMARY KEY,
  upload_id INTEGER NOT NULL REFERENCES code_uploads (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  part INTEGER NOT NULL,
  places TEXT NOT NULL,
  UNIQUE (upload_id, slug, part)
) STRICT;
