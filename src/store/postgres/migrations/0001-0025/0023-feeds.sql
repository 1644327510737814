-- Addresses at which the submissions of a form are read.
CREATE TABLE feeds (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  form_id BIGINT NOT NULL REFERENCES forms (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- SHA-256 of the token in its address, as hex.
  hash TEXT COLLATE "C" NOT NULL UNIQUE,
  format TEXT NOT NULL,
  -- The fields that it shows, as a JSON list; null for all.
  fields TEXT,
  search TEXT,
  -- The age in seconds up to which submissions are in it; null for any.
  since BIGINT,
  most BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_read_at BIGINT
);
CREATE INDEX feeds_by_form ON feeds (form_id);
