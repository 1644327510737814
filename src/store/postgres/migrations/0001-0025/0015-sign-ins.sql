-- Wrong codes of authenticator apps in a row, of a user: when the last one is forgotten.
CREATE TABLE wrong_codes (
  user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  forgotten_at BIGINT NOT NULL
);

-- The `sid` of the session that approved a login, with which the provider ends both; null without one.
ALTER TABLE device_logins ADD COLUMN sid BYTEA;
