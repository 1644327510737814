-- The role in every project that groups of an OpenID provider give, beside that given by hand; null for none.
ALTER TABLE users ADD COLUMN oidc_role TEXT COLLATE "C";

-- Accounts of OpenID providers by which users sign in.
CREATE TABLE identities (
  user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  issuer TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (issuer, subject)
);

-- Logout tokens of providers, each of which counts once.
CREATE TABLE spent_logouts (
  -- SHA-256 of the issuer and the `jti`.
  hash BYTEA PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
CREATE INDEX spent_logouts_by_expiry ON spent_logouts (expires_at);
