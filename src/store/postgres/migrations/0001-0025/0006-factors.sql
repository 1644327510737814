-- Second factors of users. The key of an authenticator app, 160 bits, and the step of 30 seconds of the last code that
-- counted: no code of that step or an earlier one counts again.
CREATE TABLE totp_keys (
  user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret BYTEA NOT NULL,
  step BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);

-- Codes that stand in for one of the app, each once, by a SHA-256 keyed with the key of the app.
CREATE TABLE recovery_codes (
  hash BYTEA PRIMARY KEY,
  user_id BIGINT NOT NULL REFERENCES totp_keys (user_id) ON DELETE CASCADE
);
CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id);

-- Passkeys: the id of the credential and its public key in COSE, which the device chose.
CREATE TABLE passkeys (
  id TEXT COLLATE "C" PRIMARY KEY,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  credential BYTEA NOT NULL UNIQUE,
  public_key BYTEA NOT NULL,
  counter BIGINT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  used_at BIGINT
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- Sign-ins whose password or link was right and whose code is missing, by the SHA-256 of the secret in their cookie.
CREATE TABLE begun_sign_ins (
  hash BYTEA PRIMARY KEY,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  method TEXT COLLATE "C" NOT NULL,
  wrong BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX begun_sign_ins_by_user ON begun_sign_ins (user_id);
CREATE INDEX begun_sign_ins_by_expiry ON begun_sign_ins (expires_at);

-- Challenges of passkeys that were answered, by their SHA-256, until they expire.
CREATE TABLE spent_challenges (
  hash BYTEA PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at);
