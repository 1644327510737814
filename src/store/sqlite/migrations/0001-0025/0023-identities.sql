-- The role in every project that groups of an OpenID provider give, beside that given by hand; null for none.
ALTER TABLE users ADD COLUMN oidc_role TEXT;

-- Accounts of OpenID providers by which users sign in.
CREATE TABLE identities (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (issuer, subject)
) STRICT;

-- Logout tokens of providers, each of which counts once.
CREATE TABLE spent_logouts (
  -- SHA-256 of the issuer and the `jti`.
  hash BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_logouts_by_expiry ON spent_logouts (expires_at);
