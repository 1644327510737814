-- The last ramp of a flag in an environment; it outlives the flag.
CREATE TABLE ramps (
  environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  flag TEXT NOT NULL,
  variant TEXT NOT NULL,
  -- Shares in percent with the times at which they were set, as JSON.
  steps TEXT NOT NULL,
  -- Seconds from one step to the next.
  every INTEGER NOT NULL,
  start_at INTEGER,
  status TEXT NOT NULL,
  reason TEXT,
  -- Null unless the ramp is running.
  next_at INTEGER,
  -- The flag as the ramp has left it, and before the ramp, as JSON with the share of the variant.
  left_state TEXT NOT NULL,
  before_state TEXT NOT NULL,
  guarded INTEGER NOT NULL,
  guards TEXT NOT NULL,
  on_guard TEXT NOT NULL,
  who TEXT NOT NULL,
  why TEXT,
  created_at INTEGER NOT NULL,
  -- The last change of the ramp: of a flag with a later one it is checked whether the ramp may go on.
  revision INTEGER NOT NULL,
  PRIMARY KEY (environment_id, flag)
) STRICT;
CREATE INDEX ramps_due ON ramps (next_at) WHERE next_at IS NOT NULL;
