-- The last ramp of a flag in an environment; it outlives the flag.
CREATE TABLE ramps (
  environment_id BIGINT NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  flag TEXT COLLATE "C" NOT NULL,
  variant TEXT COLLATE "C" NOT NULL,
  -- Shares in percent with the times at which they were set, as JSON.
  steps TEXT COLLATE "C" NOT NULL,
  -- Seconds from one step to the next.
  every BIGINT NOT NULL,
  start_at BIGINT,
  status TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C",
  -- Null unless the ramp is running.
  next_at BIGINT,
  -- The flag as the ramp has left it, and before the ramp, as JSON with the share of the variant.
  left_state TEXT COLLATE "C" NOT NULL,
  before_state TEXT COLLATE "C" NOT NULL,
  guarded INTEGER NOT NULL,
  guards TEXT COLLATE "C" NOT NULL,
  on_guard TEXT COLLATE "C" NOT NULL,
  who TEXT COLLATE "C" NOT NULL,
  why TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  -- The last change of the ramp: of a flag with a later one it is checked whether the ramp may go on.
  revision BIGINT NOT NULL,
  PRIMARY KEY (environment_id, flag)
);
CREATE INDEX ramps_due ON ramps (next_at) WHERE next_at IS NOT NULL;
