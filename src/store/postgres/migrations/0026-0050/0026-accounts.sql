-- The version of the setup that created a user: with the id, no later user of the same name has the same. Null for those from
-- before.
ALTER TABLE users ADD COLUMN born BIGINT;
-- The account of the author, which no later user or token of the same name has; null for the operator and for changes from before.
ALTER TABLE proposals ADD COLUMN account TEXT COLLATE "C";
