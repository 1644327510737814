-- Why an external check of the form gave no verdict on a submission; null if all that were asked did.
ALTER TABLE submissions ADD COLUMN unchecked TEXT COLLATE "C";
