-- Confirmation by its sender, and the end of it, as times in ISO 8601; `consent` is a JSON object: what the sender agreed to.
ALTER TABLE submissions ADD COLUMN confirmed_at TEXT COLLATE "C";
ALTER TABLE submissions ADD COLUMN unsubscribed_at TEXT COLLATE "C";
ALTER TABLE submissions ADD COLUMN consent TEXT COLLATE "C";

-- When a mailbox, by its hash, was last asked to confirm: a JSON list of milliseconds since 1970.
CREATE TABLE confirmations (
  hash BYTEA PRIMARY KEY,
  times TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX confirmations_by_expiry ON confirmations (expires_at);

-- The mail to those who are approved: a template whose first line is `# Subject`; null for none.
ALTER TABLE segment_sources ADD COLUMN welcome TEXT;

-- All mail goes through one server, so it waits in one lane.
DROP INDEX deliveries_queued;
CREATE INDEX deliveries_queued
  ON deliveries ((CASE WHEN kind IN ('mail', 'notification', 'autoreply', 'reply', 'confirmation', 'welcome') THEN '' ELSE target END), due_at)
  WHERE status = 0;
