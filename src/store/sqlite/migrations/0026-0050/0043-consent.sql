-- Confirmation by its sender, and the end of it, as times in ISO 8601; `consent` is a JSON object: what the sender agreed to.
ALTER TABLE submissions ADD COLUMN confirmed_at TEXT;
ALTER TABLE submissions ADD COLUMN unsubscribed_at TEXT;
ALTER TABLE submissions ADD COLUMN consent TEXT;

-- When a mailbox, by its hash, was last asked to confirm: a JSON list of milliseconds since 1970.
CREATE TABLE confirmations (
  hash BLOB PRIMARY KEY,
  times TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX confirmations_by_expiry ON confirmations (expires_at);

-- The mail to those who are approved: a template whose first line is `# Subject`; null for none.
ALTER TABLE segment_sources ADD COLUMN welcome TEXT;

-- All mail goes through one server, so it waits in one lane.
DROP INDEX deliveries_queued;
CREATE INDEX deliveries_queued
  ON deliveries (CASE WHEN kind IN ('mail', 'notification', 'autoreply', 'reply', 'confirmation', 'welcome') THEN '' ELSE target END, due_at)
  WHERE status = 0;
