-- A form that is deleted is gone for everybody at once; its submissions are removed in steps.
ALTER TABLE forms ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;

-- Uploaded files that no row needs any more, until they are removed.
CREATE TABLE loose_files (
  blob_key TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- An empty object and no payload are one and the same.
UPDATE flag_values SET payload = NULL WHERE payload = '{}';
