-- Tables with texts that may be large are found by a rowid: a search in a table without one reads the whole of each row that
-- it meets.
CREATE TABLE flag_values_16 (
  environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  flag_id INTEGER NOT NULL REFERENCES flags (id) ON DELETE CASCADE,
  enabled INTEGER NOT NULL,
  payload TEXT,
  expires_at INTEGER,
  updated_at INTEGER NOT NULL,
  -- A flag with variants: what flagd calls its definition, without the state, as JSON. Null for a plain flag.
  rules TEXT,
  -- Whether these values came in a file of flagd, and nothing was set here since.
  imported INTEGER NOT NULL DEFAULT 0,
  -- The setup version at the last change.
  revision INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (environment_id, flag_id)
) STRICT;
INSERT INTO flag_values_16 (environment_id, flag_id, enabled, payload, expires_at, updated_at, rules, imported, revision)
  SELECT environment_id, flag_id, enabled, payload, expires_at, updated_at, rules, imported, revision FROM flag_values;
DROP TABLE flag_values;
ALTER TABLE flag_values_16 RENAME TO flag_values;
CREATE INDEX flag_values_by_flag ON flag_values (flag_id);

CREATE TABLE flag_previews_16 (
  environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  flag_id INTEGER NOT NULL REFERENCES flags (id) ON DELETE CASCADE,
  enabled INTEGER NOT NULL,
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (environment_id, flag_id)
) STRICT;
INSERT INTO flag_previews_16 (environment_id, flag_id, enabled, name, content)
  SELECT environment_id, flag_id, enabled, name, content FROM flag_previews;
DROP TABLE flag_previews;
ALTER TABLE flag_previews_16 RENAME TO flag_previews;
CREATE INDEX flag_previews_by_flag ON flag_previews (flag_id);

CREATE TABLE segments_16 (
  environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  rule TEXT NOT NULL,
  -- flagd puts them in one after the other.
  position INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (environment_id, name)
) STRICT;
INSERT INTO segments_16 (environment_id, name, rule, position, revision, created_at, updated_at)
  SELECT environment_id, name, rule, position, revision, created_at, updated_at FROM segments;
DROP TABLE segments;
ALTER TABLE segments_16 RENAME TO segments;

CREATE TABLE scheduled_changes_16 (
  id TEXT NOT NULL PRIMARY KEY,
  environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  flag TEXT NOT NULL,
  patch TEXT NOT NULL,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  why TEXT
) STRICT;
INSERT INTO scheduled_changes_16 (id, environment_id, flag, patch, at, who, created_at, why)
  SELECT id, environment_id, flag, patch, at, who, created_at, why FROM scheduled_changes;
DROP TABLE scheduled_changes;
ALTER TABLE scheduled_changes_16 RENAME TO scheduled_changes;
CREATE INDEX scheduled_changes_by_time ON scheduled_changes (at, created_at, id);
CREATE INDEX scheduled_changes_by_environment ON scheduled_changes (environment_id, at, created_at, id);
