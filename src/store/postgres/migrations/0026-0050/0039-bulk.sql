-- Welcomes wait in a lane of their own, so that other mail goes before them.
DROP INDEX deliveries_queued;
CREATE INDEX deliveries_queued
  ON deliveries ((CASE WHEN kind = 'welcome' THEN 'bulk' WHEN kind IN ('mail', 'notification', 'autoreply', 'reply', 'confirmation') THEN '' ELSE target END), due_at)
  WHERE status = 0;
