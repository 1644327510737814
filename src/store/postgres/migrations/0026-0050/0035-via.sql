-- The assistant that acted for the author, by the name of its client; null for none.
ALTER TABLE changes ADD COLUMN via TEXT COLLATE "C";
ALTER TABLE proposals ADD COLUMN via TEXT COLLATE "C";
