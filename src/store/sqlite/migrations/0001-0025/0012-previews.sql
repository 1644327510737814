-- What people see of a flag before it is for everybody: a name, and a text in Markdown. A flag without a row has none.
CREATE TABLE flag_previews (
  environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  flag_id INTEGER NOT NULL REFERENCES flags (id) ON DELETE CASCADE,
  enabled INTEGER NOT NULL,
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (environment_id, flag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX flag_previews_by_flag ON flag_previews (flag_id);

-- What people said about a preview. The order of ids is the order of arrival.
CREATE TABLE flag_feedback (
  id BLOB PRIMARY KEY,
  environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  flag_id INTEGER NOT NULL REFERENCES flags (id) ON DELETE CASCADE,
  -- 0 is very sad, 4 very happy.
  mood INTEGER NOT NULL,
  rating INTEGER NOT NULL,
  description TEXT,
  -- A JSON object.
  metadata TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX flag_feedback_by_flag ON flag_feedback (flag_id, id);
CREATE INDEX flag_feedback_by_environment ON flag_feedback (environment_id, flag_id, id);

-- Hashes of a sender's network and a feedback that came within the last minute.
CREATE TABLE recent_feedback (
  hash BLOB PRIMARY KEY,
  feedback BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX recent_feedback_by_expiry ON recent_feedback (expires_at);
