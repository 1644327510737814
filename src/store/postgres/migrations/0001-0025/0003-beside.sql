-- How many schemas a replica may be behind that goes on running.
ALTER TABLE formflag_meta ADD COLUMN IF NOT EXISTS beside INTEGER NOT NULL DEFAULT 0;
