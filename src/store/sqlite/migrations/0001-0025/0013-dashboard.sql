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

-- How often flags were read within an hour, in hours since 1970. `kind` is 0 for an environment, of which `what` is the key
-- and `variant` whether one flag or all were read; 1 for one flag, of which `what` is the key of the environment, a slash and
-- the flag.
CREATE TABLE tallies (
  kind INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  what TEXT NOT NULL,
  variant TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (kind, hour, what, variant)
) STRICT, WITHOUT ROWID;

-- How many submissions of a form are in a folder, read and unread: the rows of the hour 9007199254740991. Rows of other
-- hours, since 1970, hold how many were stored in that hour in the inbox and in the spam folder, with `unread` 1. Each commit
-- counts what it inserts in two rows, which are on one page of the file by the order of the hours.
CREATE TABLE submission_counts (
  form_id INTEGER NOT NULL REFERENCES forms (id) ON DELETE CASCADE,
  state INTEGER NOT NULL,
  unread INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (form_id, state, unread, hour DESC)
) STRICT, WITHOUT ROWID;

INSERT INTO submission_counts (form_id, state, unread, hour, count)
SELECT form_id, state, unread, 9007199254740991, count(*) FROM submissions GROUP BY 1, 2, 3;

INSERT INTO submission_counts (form_id, state, unread, hour, count)
SELECT form_id, iif(state = 1, 1, 0), 1, created_at / 3600000, count(*)
FROM submissions WHERE created_at >= 0 GROUP BY 1, 2, 4;

CREATE TRIGGER submissions_counted_out AFTER DELETE ON submissions BEGIN
  UPDATE submission_counts SET count = count - 1
  WHERE form_id = old.form_id AND state = old.state AND unread = old.unread AND hour = 9007199254740991;
END;

CREATE TRIGGER submissions_counted_over AFTER UPDATE OF state, unread ON submissions BEGIN
  UPDATE submission_counts SET count = count - 1
  WHERE form_id = old.form_id AND state = old.state AND unread = old.unread AND hour = 9007199254740991;
  INSERT INTO submission_counts (form_id, state, unread, hour, count)
  VALUES (new.form_id, new.state, new.unread, 9007199254740991, 1)
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

-- Failed deliveries are listed newest first, and are few among many.
CREATE INDEX deliveries_failed ON deliveries (id) WHERE status = 2;

-- Why somebody made a change, in their words.
ALTER TABLE changes ADD COLUMN why TEXT;
CREATE INDEX changes_by_who ON changes (project_id, who, revision);
CREATE INDEX changes_by_kind ON changes (project_id, kind, revision);
ALTER TABLE scheduled_changes ADD COLUMN why TEXT;

-- The name of a colour by which people tell the environment from others.
ALTER TABLE environments ADD COLUMN color TEXT;
