-- An id is stored as its 16 bytes, and one index serves both lists and lookups, which go through the forms.
CREATE TABLE new_submissions (
  seq INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  form_id INTEGER NOT NULL REFERENCES forms (id) ON DELETE CASCADE,
  data TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

INSERT INTO new_submissions (seq, id, form_id, data, created_at)
SELECT seq, unhex(id, '-'), form_id, data, created_at FROM submissions ORDER BY seq;

DROP TABLE submissions;
ALTER TABLE new_submissions RENAME TO submissions;
CREATE UNIQUE INDEX submissions_by_form ON submissions (form_id, id);
