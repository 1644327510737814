-- Who did what: each entry is chained to the one before it.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  -- Null where a sign-in failed that names no user.
  who TEXT,
  type TEXT NOT NULL,
  action TEXT NOT NULL,
  -- The slug of the project, which may have been deleted since; null for what is in none.
  project TEXT,
  object TEXT,
  -- As a JSON object.
  details TEXT NOT NULL,
  address TEXT,
  -- SHA-256 of the hash of the entry before and of this entry as a line, in hex.
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_project ON audit (project, id);
CREATE INDEX audit_by_who ON audit (who, id);
CREATE INDEX audit_by_action ON audit (action, id);
