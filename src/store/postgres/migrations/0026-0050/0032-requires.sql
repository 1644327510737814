-- The flags that a flag needs in an environment, as a JSON list with their variants, and empty for none.
ALTER TABLE flag_values ADD COLUMN requires TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX flag_values_requires ON flag_values (environment_id) WHERE requires <> '';
