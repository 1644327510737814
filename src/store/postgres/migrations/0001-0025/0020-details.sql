-- What all environments share of a flag: who to ask about it, its tags with commas between them, whether it is here to
-- stay, and whether readers no longer get it.
ALTER TABLE flags ADD COLUMN owner TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE flags ADD COLUMN tags TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE flags ADD COLUMN permanent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE flags ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
