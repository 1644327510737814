-- Grows with every change to tokens and users, for values that are cached until these change.
ALTER TABLE setup_version ADD COLUMN access INTEGER NOT NULL DEFAULT 0;

-- The lane of a delivery, in an expression that other databases know too.
DROP INDEX deliveries_queued;
CREATE INDEX deliveries_queued ON deliveries (CASE WHEN kind IN ('notification', 'autoreply') THEN '' ELSE target END, due_at)
  WHERE status = 0;
