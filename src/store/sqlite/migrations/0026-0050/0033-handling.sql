-- Who looks after a submission, and its labels with commas between them, in their order; null for none.
ALTER TABLE submissions ADD COLUMN assignee TEXT;
ALTER TABLE submissions ADD COLUMN labels TEXT;
-- Few submissions of many have either.
CREATE INDEX submissions_assigned ON submissions (form_id, state, id) WHERE assignee IS NOT NULL;
CREATE INDEX submissions_labeled ON submissions (form_id, state, id) WHERE labels IS NOT NULL;

-- What people did with a submission, besides its marks: `kind` is assigned, labeled, unlabeled, noted or answered. `text`
-- is the assignee or null, the label, the note or the answer. An answer has its delivery, which is removed before it, and
-- `thread`: the id of the message that all answers refer to.
CREATE TABLE submission_events (
  id INTEGER PRIMARY KEY,
  submission_seq INTEGER NOT NULL REFERENCES submissions (seq) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  text TEXT,
  delivery BLOB,
  thread BLOB,
  subject TEXT,
  who TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX submission_events_by_submission ON submission_events (submission_seq, id);

-- All mail goes through one server, so it waits in one lane.
DROP INDEX deliveries_queued;
CREATE INDEX deliveries_queued
  ON deliveries (CASE WHEN kind IN ('mail', 'notification', 'autoreply', 'reply') THEN '' ELSE target END, due_at)
  WHERE status = 0;
