CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  key TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE environments (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL UNIQUE,
  -- The setup version at the last change to this environment's flags.
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (project_id, slug)
) STRICT;

CREATE TABLE flags (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (project_id, slug)
) STRICT;

-- A flag without a row for an environment is off there.
CREATE TABLE flag_values (
  environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  flag_id INTEGER NOT NULL REFERENCES flags (id) ON DELETE CASCADE,
  enabled INTEGER NOT NULL,
  payload TEXT,
  expires_at INTEGER,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (environment_id, flag_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX flag_values_by_flag ON flag_values (flag_id);

-- One row: counts every change to projects, environments, flags and forms.
CREATE TABLE setup_version (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL
) STRICT;

INSERT INTO setup_version (id, version) VALUES (1, 0);

CREATE TABLE forms (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
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
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE submissions (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  form_id INTEGER NOT NULL REFERENCES forms (id) ON DELETE CASCADE,
  data TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX submissions_by_form ON submissions (form_id, id);

CREATE TABLE files (
  submission_seq INTEGER NOT NULL REFERENCES submissions (seq) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  field TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  blob_key TEXT NOT NULL UNIQUE,
  PRIMARY KEY (submission_seq, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
