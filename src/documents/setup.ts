import type { AccessChange } from "../access/change.ts";
import type { TargetChange } from "../delivery/change.ts";
import type { ExperimentChange } from "../experiments/change.ts";
import type { FoundExperiment } from "../experiments/experiment.ts";
import type { FlagChange } from "../flags/change.ts";
import type { FlagRecord } from "../flags/flag.ts";
import type { FoundRamp } from "../flags/ramps/ramp.ts";
import type { SegmentRecord } from "../flags/segment.ts";
import type { FormChange } from "../forms/change.ts";
import type { FormRecord } from "../forms/form.ts";
import type { ProposalChange } from "./changes/proposal-change.ts";
import type { ProjectChange } from "../projects/change.ts";
import type { Environment } from "../projects/environment.ts";
import type { ProjectSettings } from "../projects/project.ts";

/** The projects and forms at one moment. */
export type Setup = {
  /** By slug. */
  projects: SetupProject[];
  /** By slug. */
  forms: FormRecord[];
};

export type SetupProject = ProjectSettings & { slug: string; environments: SetupEnvironment[] };

/** An environment with every flag of the project, by slug, its segments in their order and its ramps. */
export type SetupEnvironment = Environment & {
  flags: FlagRecord[];
  segments: SegmentRecord[];
  /** The last ramp of each flag that has had one, by its slug. */
  ramps: ReadonlyMap<string, FoundRamp>;
  /** By name. */
  experiments: FoundExperiment[];
};

/** A change of the setup, as the store applies it. */
export type SetupChange =
  | ProjectChange
  | FlagChange
  | ExperimentChange
  | FormChange
  | TargetChange
  | AccessChange
  | ProposalChange;

/** Changes that no token and no user notices are missing here: those of flags, forms and targets, and new places. */
const ACCESS_CHANGES: ReadonlySet<SetupChange["change"]> = new Set([
  "insertToken",
  "deleteToken",
  "insertUser",
  "updateUser",
  "setPassword",
  "setTotp",
  "setRecoveryCodes",
  "deleteTotp",
  "insertPasskey",
  "deletePasskey",
  "resetFactors",
  "deleteUser",
  "putMember",
  "deleteMember",
  "setGroupRole",
  // The tokens and roles that are limited to a place are deleted with it.
  "deleteProject",
  "deleteEnvironment",
] as const);

/** Whether a change alters who may do what, so that the store raises `access` with it. */
export function changesAccess({ change }: SetupChange): boolean {
  return ACCESS_CHANGES.has(change);
}
