-- The request that a delivery is of, as `traceparent`, where a collector gets its spans.
ALTER TABLE deliveries ADD COLUMN trace TEXT;
