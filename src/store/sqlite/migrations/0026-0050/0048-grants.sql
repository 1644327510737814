-- Grants of assistants (OAuth 2.1). Before its code was exchanged, a grant has no tokens.
CREATE TABLE oauth_grants (
  -- SHA-256 of the code, which is kept: another use of it ends the grant.
  hash BLOB PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client TEXT NOT NULL,
  client_name TEXT NOT NULL,
  redirect TEXT NOT NULL,
  resource TEXT NOT NULL,
  -- SHA-256 of the verifier (PKCE), as base64url.
  challenge TEXT NOT NULL,
  scopes TEXT NOT NULL,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  environment_id INTEGER REFERENCES environments (id) ON DELETE CASCADE,
  -- As that of a session: the OpenID provider ends both.
  sid BLOB,
  -- SHA-256 of the access token; null before there is one.
  access BLOB UNIQUE,
  access_expires_at INTEGER,
  -- SHA-256 of the part that all refresh tokens of the grant share, and of the one that counts.
  family BLOB UNIQUE,
  refresh BLOB,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_grants_by_expiry ON oauth_grants (expires_at);
CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id);
CREATE INDEX oauth_grants_by_sid ON oauth_grants (sid) WHERE sid IS NOT NULL;
CREATE INDEX oauth_grants_by_project ON oauth_grants (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX oauth_grants_by_environment ON oauth_grants (environment_id) WHERE environment_id IS NOT NULL;
