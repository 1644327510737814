-- The colours of a flag's variants, as a JSON object by their names, and empty for none.
ALTER TABLE flags ADD COLUMN colours TEXT COLLATE "C" NOT NULL DEFAULT '';
