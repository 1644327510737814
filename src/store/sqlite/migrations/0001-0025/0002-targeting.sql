-- A flag with variants: what flagd calls its definition, without the state, as JSON. Null for a plain flag.
ALTER TABLE flag_values ADD COLUMN rules TEXT;
-- Whether these values came in a file of flagd, and nothing was set here since.
ALTER TABLE flag_values ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;

-- The setup version at the last change of the flag, and of its values in an environment.
ALTER TABLE flags ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE flag_values ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

-- What flagd calls the metadata of a flag set, as a JSON object.
ALTER TABLE environments ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
-- Whether a change asks for a confirmation and a scope of its own.
ALTER TABLE environments ADD COLUMN locked INTEGER NOT NULL DEFAULT 0;

-- What flagd calls evaluators: rules by name, which others refer to.
CREATE TABLE segments (
  environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  rule TEXT NOT NULL,
  -- flagd puts them in one after the other.
  position INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (environment_id, name)
) STRICT, WITHOUT ROWID;

-- Every change to a flag, a segment or an environment. It outlives what it is about, but not the project.
CREATE TABLE changes (
  -- The setup version that the change made.
  revision INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- Null for what concerns every environment.
  environment TEXT,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  -- As JSON; null before it was made, and after it was deleted.
  before TEXT,
  after TEXT
) STRICT;

CREATE INDEX changes_by_name ON changes (project_id, kind, name, revision);

-- Changes to flags that are still to come.
CREATE TABLE scheduled_changes (
  id TEXT PRIMARY KEY,
  environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  flag TEXT NOT NULL,
  patch TEXT NOT NULL,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX scheduled_changes_by_time ON scheduled_changes (at);
CREATE INDEX scheduled_changes_by_environment ON scheduled_changes (environment_id);

-- When a flag was last read, to about an hour.
CREATE TABLE flag_reads (
  environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  flag_id INTEGER NOT NULL REFERENCES flags (id) ON DELETE CASCADE,
  read_at INTEGER NOT NULL,
  PRIMARY KEY (environment_id, flag_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX flag_reads_by_flag ON flag_reads (flag_id);

-- A token that reads the flags of one environment and nothing else.
ALTER TABLE tokens ADD COLUMN environment_id INTEGER REFERENCES environments (id) ON DELETE CASCADE;

CREATE INDEX tokens_by_environment ON tokens (environment_id);
