import type { LockedPlace } from "../projects/locks.ts";
import { archives } from "../flags/requires/to-check.ts";
import type { SetupChange } from "./setup.ts";

/**
 * The place in which a change takes effect: an environment, or without one all environments of the project; `project` for what
 * environments share, such as the name and the forms of their project; null for nothing of a project.
 */
type Reach = LockedPlace | "project" | null;

type Kind = SetupChange["change"];
type Reaches = { [K in Kind]: (change: SetupChange & { change: K }) => Reach };

const [inEnvironment, inProject, inNone] = [
  ({ project, environment }: LockedPlace): Reach => ({ project, environment }),
  (): Reach => "project",
  (): Reach => null,
];

/** Every kind of change is here: rights, locks and approvals are those of its reach. */
const REACH: Reaches = {
  insertProject: inProject,
  setProject: inProject,
  deleteProject: ({ project }) => ({ project }),
  insertEnvironment: ({ project, environment: { slug } }) => ({ project, environment: slug }),
  updateEnvironment: inEnvironment,
  orderEnvironments: inProject,
  setMetadata: inEnvironment,
  deleteEnvironment: inEnvironment,
  putTestContext: inProject,
  deleteTestContext: inProject,
  putFlag: (change) => (archives(change) === null ? inEnvironment(change) : { project: change.project }),
  deleteFlag: ({ project }) => ({ project }),
  putSegment: inEnvironment,
  deleteSegment: inEnvironment,
  orderSegments: inEnvironment,
  approveMembers: inEnvironment,
  suspendMembers: inEnvironment,
  insertScheduled: ({ project, scheduled }) => inEnvironment({ project, ...scheduled }),
  deleteScheduled: inEnvironment,
  putRamp: ({ project, ramp }) => inEnvironment({ project, ...ramp }),
  putExperiment: ({ project, experiment }) => inEnvironment({ project, ...experiment }),
  deleteExperiment: inEnvironment,
  insertForm: inProject,
  updateForm: inProject,
  moveForm: inProject,
  deleteForm: inProject,
  recordForm: inProject,
  insertFeed: inProject,
  deleteFeed: inProject,
  insertTarget: inProject,
  updateTarget: inProject,
  deleteTarget: inProject,
  insertProjectTarget: inProject,
  deleteProjectTarget: inProject,
  putMember: inProject,
  deleteMember: inProject,
  insertInvitation: inProject,
  deleteInvitation: inProject,
  // The proposal itself changes nothing, and is planned as its operation.
  insertProposal: inNone,
  updateProposal: inNone,
  insertToken: inNone,
  deleteToken: inNone,
  insertUser: inNone,
  updateUser: inNone,
  setPassword: inNone,
  setTotp: inNone,
  setRecoveryCodes: inNone,
  deleteTotp: inNone,
  insertPasskey: inNone,
  renamePasskey: inNone,
  deletePasskey: inNone,
  resetFactors: inNone,
  deleteUser: inNone,
  putIdentity: inNone,
  deleteIdentity: inNone,
  setGroupRole: inNone,
};

export function reachOf(change: SetupChange): Reach {
  return (REACH[change.change] as (change: SetupChange) => Reach)(change);
}
