-- Second factors of users. The key of an authenticator app, 160 bits, and the step of 30 seconds of the last code that
-- counted: no code of that step or an earlier one counts again.
CREATE TABLE totp_keys (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret BLOB NOT NULL,
  step INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- Codes that stand in for one of the app, each once, by a SHA-256 keyed with the key of the app.
CREATE TABLE recovery_codes (
  hash BLOB PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES totp_keys (user_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id);

-- Passkeys: the id of the credential and its public key in COSE, which the device chose.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  credential BLOB NOT NULL UNIQUE,
  public_key BLOB NOT NULL,
  counter INTEGER NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- Sign-ins whose password or link was right and whose code is missing, by the SHA-256 of the secret in their cookie.
CREATE TABLE begun_sign_ins (
  hash BLOB PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  method TEXT NOT NULL,
  wrong INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX begun_sign_ins_by_user ON begun_sign_ins (user_id);
CREATE INDEX begun_sign_ins_by_expiry ON begun_sign_ins (expires_at);

-- Challenges of passkeys that were answered, by their SHA-256, until they expire.
CREATE TABLE spent_challenges (
  hash BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at);
