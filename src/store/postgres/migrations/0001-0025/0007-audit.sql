-- Who did what: each entry is chained to the one before it.
CREATE TABLE audit (
  id BIGINT PRIMARY KEY,
  at BIGINT NOT NULL,
  -- Null where a sign-in failed that names no user.
  who TEXT COLLATE "C",
  type TEXT COLLATE "C" NOT NULL,
  action TEXT COLLATE "C" NOT NULL,
  -- The slug of the project, which may have been deleted since; null for what is in none.
  project TEXT COLLATE "C",
  object TEXT COLLATE "C",
  -- As a JSON object.
  details TEXT COLLATE "C" NOT NULL,
  address TEXT COLLATE "C",
  -- SHA-256 of the hash of the entry before and of this entry as a line, in hex.
  hash TEXT COLLATE "C" NOT NULL
);
CREATE INDEX audit_by_project ON audit (project, id);
CREATE INDEX audit_by_who ON audit (who, id);
CREATE INDEX audit_by_action ON audit (action, id);
