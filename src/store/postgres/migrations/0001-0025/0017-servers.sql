-- Servers that use the database, each of which renews its row every minute and removes it at its end.
CREATE TABLE servers (
  -- 256 random bits of the process.
  id BYTEA PRIMARY KEY,
  -- Version, addresses and options as JSON; no secrets.
  facts TEXT COLLATE "C" NOT NULL,
  -- Milliseconds since 1970, by the clock of the database.
  seen_at BIGINT NOT NULL
);
