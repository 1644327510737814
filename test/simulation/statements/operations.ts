import { CHANGES } from "./operations/changes.ts";
import { DELIVERIES } from "./operations/deliveries.ts";
import { EXPERIMENTS } from "./operations/experiments.ts";
import { FLAGS, READS, SHARED } from "./operations/flags.ts";
import { PEOPLE } from "./operations/people.ts";
import { PROJECT_CHANGES } from "./operations/project-changes.ts";
import { ROLLOUTS } from "./operations/rollouts.ts";
import { SUBMISSIONS } from "./operations/submissions.ts";

/** Every operation of the store that changes something, and those that read as of one moment. */
export const OPERATIONS = {
  ...SUBMISSIONS,
  ...DELIVERIES,
  ...PEOPLE,
  ...FLAGS,
  ...SHARED,
  ...CHANGES,
  ...PROJECT_CHANGES,
  ...ROLLOUTS,
  ...EXPERIMENTS,
  ...READS,
};

export type OperationName = keyof typeof OPERATIONS;

/** Operations that leave out what others have locked, and are repeated by a job until nothing is left. */
export const SKIPPING: ReadonlySet<string> = new Set<OperationName>([
  "clear deleted",
  "clear expired",
  "index",
  "claim",
  "settle and claim",
  "fail and renew",
  "claim what has ended",
  "cancel targetless",
  "retry failed",
  "clear ended",
  "clear sessions",
  "claim notes",
  "claim events",
  "clear invitations",
  "clear visitors",
]);
