-- Experiments of an environment by name.
CREATE TABLE experiments (
  environment_id BIGINT NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  name TEXT COLLATE "C" NOT NULL,
  flag TEXT COLLATE "C" NOT NULL,
  metrics TEXT COLLATE "C" NOT NULL,
  control TEXT COLLATE "C" NOT NULL,
  -- Weights by variant, as JSON.
  split TEXT COLLATE "C" NOT NULL,
  min_days INTEGER NOT NULL,
  hypothesis TEXT COLLATE "C",
  guards TEXT COLLATE "C" NOT NULL,
  on_guard TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C",
  started_at BIGINT,
  ended_at BIGINT,
  -- The flag as the experiment has left it, and before the experiment, as JSON.
  left_state TEXT COLLATE "C",
  before_state TEXT COLLATE "C",
  guarded INTEGER NOT NULL,
  -- Whether targets were told of a winner or of an alarm.
  decided INTEGER NOT NULL,
  -- Of one that has ended, as JSON.
  counts TEXT COLLATE "C",
  who TEXT COLLATE "C" NOT NULL,
  why TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  -- The last change of the experiment: of a flag with a later one it is checked whether the experiment may go on.
  revision BIGINT NOT NULL,
  PRIMARY KEY (environment_id, name)
);
CREATE INDEX experiments_holding ON experiments (environment_id, flag) WHERE status IN ('running', 'paused');
-- Counts under way, of the experiment or the ramp that holds the flag. The id is the revision at which one began.
CREATE TABLE measurements (
  id INTEGER PRIMARY KEY,
  environment_id BIGINT NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  flag TEXT COLLATE "C" NOT NULL,
  -- Names, by which visitors have numbers.
  variants TEXT COLLATE "C" NOT NULL,
  metrics TEXT COLLATE "C" NOT NULL,
  salt BYTEA NOT NULL,
  running INTEGER NOT NULL,
  visitors INTEGER NOT NULL,
  mixed INTEGER NOT NULL,
  -- Whether more visitors came than are counted.
  filled INTEGER NOT NULL,
  started_at BIGINT NOT NULL,
  UNIQUE (environment_id, flag)
);
-- The metric 0 stands for visitors, those behind it for conversions.
CREATE TABLE measured_counts (
  measurement INTEGER NOT NULL REFERENCES measurements (id) ON DELETE CASCADE,
  variant INTEGER NOT NULL,
  metric INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (measurement, variant, metric)
);
-- Visitors by a keyed hash of 64 bits, with the variant and a bit of each metric converted; -1 for one of two variants.
-- Without a foreign key, so that the end of a measurement does not wait for a million rows.
CREATE TABLE measured_visitors (
  measurement INTEGER NOT NULL,
  visitor BYTEA NOT NULL,
  seen INTEGER NOT NULL,
  PRIMARY KEY (measurement, visitor)
);
