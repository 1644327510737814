-- Whether an import brought ids that do not begin with about the time of their submission, so that the submissions from some
-- time can have any id.
ALTER TABLE forms ADD COLUMN foreign_ids INTEGER NOT NULL DEFAULT 0;

UPDATE forms SET foreign_ids = 1 WHERE EXISTS (
  SELECT 1 FROM submissions s WHERE s.form_id = forms.id AND
    abs(CAST(CAST('x' || encode(substr(s.id, 1, 6), 'hex') AS BIT(48)) AS BIGINT) - s.created_at) > 3600000);
