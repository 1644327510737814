-- Where submissions of a form are sent. `secrets` is a JSON list of those that sign, each with the time until it does.
CREATE TABLE targets (
  id TEXT PRIMARY KEY,
  form_id INTEGER NOT NULL REFERENCES forms (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  url TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  secrets TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX targets_by_form ON targets (form_id);

-- `target` is the id of a target, which may have been deleted, or a mail address. `status` is 0 queued, 1 delivered,
-- 2 failed, 3 cancelled. A queued delivery is due at `due_at`, or leased by its holder until then; an ended one is removed.
CREATE TABLE deliveries (
  id BLOB PRIMARY KEY,
  submission_seq INTEGER NOT NULL REFERENCES submissions (seq) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  status INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  holder TEXT,
  code INTEGER,
  error TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX deliveries_by_submission ON deliveries (submission_seq, kind, target);
-- All mail goes through one server, so it waits in one lane.
CREATE INDEX deliveries_queued ON deliveries (iif(kind IN ('notification', 'autoreply'), '', target), due_at)
  WHERE status = 0;
CREATE INDEX deliveries_ended ON deliveries (status, due_at) WHERE status <> 0;

-- Hashes of a form and an address that got an automatic reply lately.
CREATE TABLE autoreplies (
  hash BLOB PRIMARY KEY,
  form_id INTEGER NOT NULL REFERENCES forms (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX autoreplies_by_form ON autoreplies (form_id, expires_at);
CREATE INDEX autoreplies_by_expiry ON autoreplies (expires_at);

-- Targets about which an operator was alerted lately.
CREATE TABLE alerts (
  target TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Submissions from before count as read.
ALTER TABLE submissions ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;
-- What the form records about the sender, as a JSON object.
ALTER TABLE submissions ADD COLUMN meta TEXT;
