-- Whether a form fills a segment: the quick way to store a submission leaves such a form out.
ALTER TABLE forms ADD COLUMN fills INTEGER NOT NULL DEFAULT 0;
-- Forms whose submissions make people members of a segment.
CREATE TABLE segment_sources (
  environment_id BIGINT NOT NULL,
  segment TEXT COLLATE "C" NOT NULL,
  form_id BIGINT NOT NULL REFERENCES forms (id) ON DELETE CASCADE,
  field TEXT COLLATE "C" NOT NULL,
  attribute TEXT COLLATE "C" NOT NULL,
  approve INTEGER NOT NULL,
  -- The revision of the setup at which its members were found anew.
  epoch BIGINT NOT NULL,
  -- Grows with every change of its members, and the last one at which some left.
  revision BIGINT NOT NULL,
  left_at BIGINT NOT NULL,
  -- How many values are approved, and how many are not yet.
  members BIGINT NOT NULL,
  pending BIGINT NOT NULL,
  PRIMARY KEY (environment_id, segment),
  FOREIGN KEY (environment_id, segment) REFERENCES segments (environment_id, name) ON DELETE CASCADE
);
CREATE INDEX segment_sources_by_form ON segment_sources (form_id);
-- A value of a submission that makes who has it a member.
CREATE TABLE memberships (
  environment_id BIGINT NOT NULL,
  segment TEXT COLLATE "C" NOT NULL,
  value TEXT COLLATE "C" NOT NULL,
  submission_seq BIGINT NOT NULL REFERENCES submissions (seq) ON DELETE CASCADE,
  approved INTEGER NOT NULL,
  -- The revision of its segment at which it was approved.
  revision BIGINT NOT NULL,
  PRIMARY KEY (environment_id, segment, value, submission_seq),
  FOREIGN KEY (environment_id, segment) REFERENCES segment_sources (environment_id, segment) ON DELETE CASCADE
);
CREATE INDEX memberships_by_submission ON memberships (submission_seq);
CREATE INDEX memberships_by_revision ON memberships (environment_id, segment, revision);
