-- 0 is the inbox, 1 the spam folder, 2 the archive; the reason why a submission is spam is null for any other.
ALTER TABLE submissions ADD COLUMN state INTEGER NOT NULL DEFAULT 0;
ALTER TABLE submissions ADD COLUMN spam TEXT;

-- One index serves lists of a folder and, through the forms and the three folders, lookups by id.
DROP INDEX submissions_by_form;
CREATE UNIQUE INDEX submissions_by_state ON submissions (form_id, state, id);

-- The hash of a key that makes repeats one submission, with the hash of the content that came with it. The submission may
-- have been deleted.
CREATE TABLE idempotency_keys (
  hash BLOB PRIMARY KEY,
  content BLOB NOT NULL,
  submission BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

-- Challenges that were solved and used.
CREATE TABLE spent_nonces (
  hash BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_nonces_by_expiry ON spent_nonces (expires_at);

-- Hashes of a form, a sender's network and a content that came lately.
CREATE TABLE recent_contents (
  hash BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX recent_contents_by_expiry ON recent_contents (expires_at);

-- Secrets that are made once, by name.
CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
