-- People who sign in to the dashboard. The role names a set of scopes. Without a password, a user signs in by a link or
-- through a proxy.
CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  -- A hash in the PHC string format, by argon2id.
  password TEXT,
  -- A JSON object: how the dashboard looks and behaves for this user.
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- Browsers that are signed in, by the SHA-256 of the secret in their cookie.
CREATE TABLE sessions (
  hash BLOB PRIMARY KEY,
  -- What the session is called where it is listed.
  id TEXT NOT NULL UNIQUE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- How the user signed in: link, password, proxy.
  method TEXT NOT NULL,
  agent TEXT NOT NULL,
  address TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_seen ON sessions (seen_at);

-- Links that sign a user in once, by the SHA-256 of their secret.
CREATE TABLE sign_in_links (
  hash BLOB PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_links_by_user ON sign_in_links (user_id);
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_at);

-- Counts by the hour, in hours since 1970. `kind` is 0 for submissions, of which `what` is the key of the form and
-- `variant` the folder they were stored in; 1 for reads of flags, of which `what` is the key of the environment and
-- `variant` whether one flag or all were read; 2 for reads of one flag, of which `what` is the key of the environment, a
-- slash and the flag.
CREATE TABLE tallies (
  kind INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  what TEXT NOT NULL,
  variant TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (kind, hour, what, variant)
) STRICT, WITHOUT ROWID;

INSERT INTO tallies (kind, hour, what, variant, count)
SELECT 0, s.created_at / 3600000, f.key, CASE s.state WHEN 1 THEN 'spam' ELSE 'inbox' END, count(*)
FROM submissions s JOIN forms f ON f.id = s.form_id
WHERE s.created_at >= 0 AND f.deleted = 0 GROUP BY 2, 3, 4;

-- How many submissions of a form are in a folder, read and unread. Insertions are counted once for each commit.
CREATE TABLE submission_counts (
  form_id INTEGER NOT NULL REFERENCES forms (id) ON DELETE CASCADE,
  state INTEGER NOT NULL,
  unread INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (form_id, state, unread)
) STRICT, WITHOUT ROWID;

INSERT INTO submission_counts (form_id, state, unread, count)
SELECT form_id, state, unread, count(*) FROM submissions GROUP BY 1, 2, 3;

CREATE TRIGGER submissions_counted_out AFTER DELETE ON submissions BEGIN
  UPDATE submission_counts SET count = count - 1
  WHERE form_id = old.form_id AND state = old.state AND unread = old.unread;
END;

CREATE TRIGGER submissions_counted_over AFTER UPDATE OF state, unread ON submissions BEGIN
  UPDATE submission_counts SET count = count - 1
  WHERE form_id = old.form_id AND state = old.state AND unread = old.unread;
  INSERT INTO submission_counts (form_id, state, unread, count) VALUES (new.form_id, new.state, new.unread, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;

-- Who marked a submission as what, and when.
CREATE TABLE submission_marks (
  id INTEGER PRIMARY KEY,
  submission_seq INTEGER NOT NULL REFERENCES submissions (seq) ON DELETE CASCADE,
  mark TEXT NOT NULL,
  -- Why it was spam until then, if the mark took it out of the spam folder.
  spam TEXT,
  who TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX submission_marks_by_submission ON submission_marks (submission_seq, id);

-- The attempts of a delivery, numbered from 1. A retry keeps those before it.
CREATE TABLE delivery_attempts (
  delivery BLOB NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  -- When it began, and how long it took, in milliseconds.
  at INTEGER NOT NULL,
  duration INTEGER NOT NULL,
  code INTEGER,
  error TEXT,
  PRIMARY KEY (delivery, number)
) STRICT, WITHOUT ROWID;

-- Why somebody made a change, in their words.
ALTER TABLE changes ADD COLUMN why TEXT;
ALTER TABLE scheduled_changes ADD COLUMN why TEXT;

-- The name of a colour by which people tell the environment from others.
ALTER TABLE environments ADD COLUMN color TEXT;
