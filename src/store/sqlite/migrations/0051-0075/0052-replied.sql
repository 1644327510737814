-- The automatic reply that a mailbox was sent, by a hash of its own; null for one that was queued.
ALTER TABLE autoreplies ADD COLUMN delivery BLOB;
