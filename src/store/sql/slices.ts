import { audit } from "./audit.ts";
import type { CodeList, CodeUploadRecord } from "../../flags/code/code-reference.ts";
import { code, packLists } from "./code-references.ts";
import { factors } from "./factors/factors.ts";
import { feeds } from "./feeds/feeds.ts";
import { feedback } from "./feedback.ts";
import { flagNotices } from "./delivery/flag-notices.ts";
import { flags } from "./flags.ts";
import { forms } from "./forms.ts";
import { invitations } from "./access/invitations.ts";
import { members } from "./access/members.ts";
import { changes } from "./history.ts";
import { deliveries } from "./delivery/outbox.ts";
import { passkeys } from "./factors/passkeys.ts";
import { deviceLogins } from "./access/device-logins.ts";
import { identities } from "./access/identities.ts";
import { environments, projects } from "./projects.ts";
import { memberships } from "./memberships/members.ts";
import { proposals } from "./changes/proposals.ts";
import { experiments } from "./experiments/experiments.ts";
import { measurements } from "./experiments/counting.ts";
import { ramps } from "./ramps.ts";
import { scheduled } from "./scheduled.ts";
import { secrets } from "./secrets.ts";
import { segments } from "./segments.ts";
import { selected, selections } from "./selections.ts";
import { sessions } from "./sessions.ts";
import { setup } from "./setup.ts";
import { type Bound, type Runner, bindSlices, nameSlices } from "./bind.ts";
import type { submissionSlice } from "./submissions/slice.ts";
import { tallies } from "./tallies.ts";
import { targets } from "./delivery/targets.ts";
import { testContexts } from "./contexts/test-contexts.ts";
import { tokens } from "./tokens.ts";
import { users } from "./users.ts";

/** The slices of the port that both databases have alike. */
export const SLICES = {
  projects,
  environments,
  changes,
  setup,
  flags,
  flagNotices,
  selected,
  segments,
  scheduled,
  testContexts,
  ramps,
  experiments,
  code,
  feedback,
  tallies,
  tokens,
  users,
  members,
  invitations,
  sessions,
  deviceLogins,
  factors: {
    reads: { ...factors.reads, ...passkeys.reads },
    writes: { ...factors.writes, ...passkeys.writes },
  },
  identities,
  secrets,
  audit,
  proposals,
  memberships,
  measurements,
  forms,
  feeds,
  targets,
  deliveries,
};

/** The slices on a database. */
export function sharedSlices(runner: Runner, submissions: ReturnType<typeof submissionSlice>) {
  return joinSlices(bindSlices(runner, { ...SLICES, submissions }));
}

/** The slices in a thread that has no database. */
export function remoteSlices(
  call: (noun: string, name: string, args: unknown[]) => Promise<unknown>,
  submissions: ReturnType<typeof submissionSlice>,
) {
  return joinSlices(nameSlices(call, { ...SLICES, submissions }));
}

/** Adds the methods of the port that take several calls. */
function joinSlices<
  S extends {
    flags: object;
    selected: Bound<typeof selected>;
    code: Pick<Bound<typeof code>, "replacePacked">;
  },
>(bound: S) {
  return {
    ...bound,
    flags: { ...bound.flags, ...selections(bound.selected) } as S["flags"] & ReturnType<typeof selections>,
    code: {
      ...bound.code,
      replace: (project: string, upload: CodeUploadRecord, lists: CodeList[], most: number) =>
        bound.code.replacePacked(project, upload, packLists(lists), most),
    } as S["code"] & Replacing,
  };
}

type Replacing = {
  replace: (project: string, upload: CodeUploadRecord, lists: CodeList[], most: number) => Promise<void>;
};
