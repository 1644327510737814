-- Whether readers with a browser key see a flag.
ALTER TABLE flag_values ADD COLUMN browser INTEGER NOT NULL DEFAULT 0;
-- The origins of pages that may use a browser key, a JSON list; null for any.
ALTER TABLE tokens ADD COLUMN origins TEXT COLLATE "C";
-- The variants of flags that the sender of a submission got, with their environment and time, as JSON.
ALTER TABLE submissions ADD COLUMN flags TEXT;
