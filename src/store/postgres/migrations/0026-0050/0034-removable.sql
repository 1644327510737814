-- The commit of the code that was uploaded; null where it is not known.
ALTER TABLE code_uploads ADD COLUMN commit_id TEXT COLLATE "C";

-- The time since when a flag is removable, of which notice was given.
CREATE TABLE noticed_removable (
  flag_id BIGINT PRIMARY KEY REFERENCES flags (id) ON DELETE CASCADE,
  since BIGINT NOT NULL
);
