-- Milliseconds since 1970; null for a session that ends by its age alone.
ALTER TABLE sessions ADD COLUMN expires_at BIGINT;
-- SHA-256 of the issuer and the `sid` of a session at an OpenID provider; null without one.
ALTER TABLE sessions ADD COLUMN sid BYTEA;
CREATE INDEX sessions_by_sid ON sessions (sid) WHERE sid IS NOT NULL;

-- Logins of the command line that wait for their approval (RFC 8628).
CREATE TABLE device_logins (
  -- SHA-256 of the device code.
  hash BYTEA PRIMARY KEY,
  -- SHA-256 of the code that a person types.
  code BYTEA NOT NULL UNIQUE,
  client TEXT NOT NULL,
  address TEXT NOT NULL,
  -- Seconds for which the session will last.
  lasts BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  -- When it was last asked for; null before.
  polled_at BIGINT,
  -- Who approved it; null before.
  user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
  denied INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX device_logins_by_expiry ON device_logins (expires_at);
CREATE INDEX device_logins_by_user ON device_logins (user_id);
