-- Names of tokens are unique within a project, so that nobody who creates one learns of those elsewhere.
CREATE TABLE tokens_22 (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  -- The place that a token is limited to: a project, and one environment of it unless that is null.
  environment_id INTEGER REFERENCES environments (id) ON DELETE CASCADE,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE
) STRICT;
INSERT INTO tokens_22 (id, name, hash, scopes, created_at, expires_at, environment_id, project_id)
  SELECT id, name, hash, scopes, created_at, expires_at, environment_id, project_id FROM tokens;
DROP TABLE tokens;
ALTER TABLE tokens_22 RENAME TO tokens;
CREATE INDEX tokens_by_environment ON tokens (environment_id);
CREATE INDEX tokens_by_project ON tokens (project_id);
CREATE UNIQUE INDEX tokens_by_name ON tokens (name, coalesce(project_id, 0));

-- Roles of users in projects, beside the role that each user has in every project.
CREATE TABLE members (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- What gave the role: manual for people, oidc for groups of an identity provider.
  source TEXT NOT NULL,
  role TEXT NOT NULL,
  -- The environments whose flags the user may change, as a JSON array of slugs; null for all.
  environments TEXT,
  PRIMARY KEY (user_id, project_id, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_project ON members (project_id, user_id);

-- Links that make somebody a member once, by the SHA-256 of their secret. The maker is a user, a token, or with neither the
-- operator of the machine; an invitation is gone with its maker.
CREATE TABLE invitations (
  hash BLOB PRIMARY KEY,
  -- The name of the invitation where it is listed.
  id TEXT NOT NULL UNIQUE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  environments TEXT,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  token_id INTEGER REFERENCES tokens (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_by_project ON invitations (project_id, id);
CREATE INDEX invitations_by_user ON invitations (user_id);
CREATE INDEX invitations_by_token ON invitations (token_id);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
