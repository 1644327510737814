-- Whether a form has a filter that learns from what people mark.
ALTER TABLE forms ADD COLUMN learn INTEGER NOT NULL DEFAULT 0;
-- What the filters of forms learn from. The submission may be one that was deleted.
CREATE TABLE learned (
  submission BYTEA PRIMARY KEY,
  form_id BIGINT NOT NULL REFERENCES forms (id) ON DELETE CASCADE,
  -- 1 for spam, 0 for a good one.
  spam INTEGER NOT NULL,
  -- Hashes of its words and other features, of 4 bytes each; null until a job has read it.
  hashes BYTEA,
  at BIGINT NOT NULL
);
CREATE INDEX learned_by_form ON learned (form_id, spam, at);
CREATE INDEX learned_unread ON learned (form_id) WHERE hashes IS NULL;
