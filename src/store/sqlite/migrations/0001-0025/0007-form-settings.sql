-- The settings without a column of their own, as a JSON object of those that differ from the default.
ALTER TABLE forms ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
