import type { CodeList, CodeUploadRecord } from "../../flags/code/code-reference.ts";
import type * as DeviceLogins from "./access/device-logins.ts";
import type * as Grants from "./access/grants.ts";
import type * as Identities from "./access/identities.ts";
import type * as Invitations from "./access/invitations.ts";
import type * as Members from "./access/members.ts";
import type * as Audit from "./audit.ts";
import type * as Proposals from "./changes/proposals.ts";
import type * as CodeReferences from "./code-references.ts";
import type * as TestContexts from "./contexts/test-contexts.ts";
import type * as FlagNotices from "./delivery/flag-notices.ts";
import type * as Outbox from "./delivery/outbox.ts";
import type * as Targets from "./delivery/targets.ts";
import type * as Counting from "./experiments/counting.ts";
import type * as Experiments from "./experiments/experiments.ts";
import type * as Factors from "./factors/factors.ts";
import type * as Passkeys from "./factors/passkeys.ts";
import type * as Feedback from "./feedback.ts";
import type * as Feeds from "./feeds/feeds.ts";
import type * as Flags from "./flags.ts";
import type * as Forms from "./forms.ts";
import type * as Changes from "./history.ts";
import type * as Learning from "./submissions/learning.ts";
import type * as Memberships from "./memberships/members.ts";
import type * as Projects from "./projects.ts";
import type * as Ramps from "./ramps.ts";
import type * as Scheduled from "./scheduled.ts";
import type * as Secrets from "./secrets.ts";
import type * as Segments from "./segments.ts";
import type * as Selections from "./selections.ts";
import type * as Sessions from "./sessions.ts";
import type * as Setup from "./setup.ts";
import type * as Tallies from "./tallies.ts";
import type * as Tokens from "./tokens.ts";
import type * as Users from "./users.ts";
import { type Runner, bindSlices, nameSlices } from "./bind.ts";
import type { submissionSlice } from "./submissions/slice.ts";

/** The slices of the port that both databases have alike. */
export const SLICES = {
  projects: () => (require("./projects.ts") as typeof Projects).projects,
  environments: () => (require("./projects.ts") as typeof Projects).environments,
  changes: () => (require("./history.ts") as typeof Changes).changes,
  setup: () => (require("./setup.ts") as typeof Setup).setup,
  flags: () => (require("./flags.ts") as typeof Flags).flags,
  flagNotices: () => (require("./delivery/flag-notices.ts") as typeof FlagNotices).flagNotices,
  selected: () => (require("./selections.ts") as typeof Selections).selected,
  segments: () => (require("./segments.ts") as typeof Segments).segments,
  scheduled: () => (require("./scheduled.ts") as typeof Scheduled).scheduled,
  testContexts: () => (require("./contexts/test-contexts.ts") as typeof TestContexts).testContexts,
  ramps: () => (require("./ramps.ts") as typeof Ramps).ramps,
  experiments: () => (require("./experiments/experiments.ts") as typeof Experiments).experiments,
  code: () => (require("./code-references.ts") as typeof CodeReferences).code,
  feedback: () => (require("./feedback.ts") as typeof Feedback).feedback,
  tallies: () => (require("./tallies.ts") as typeof Tallies).tallies,
  tokens: () => (require("./tokens.ts") as typeof Tokens).tokens,
  users: () => (require("./users.ts") as typeof Users).users,
  members: () => (require("./access/members.ts") as typeof Members).members,
  invitations: () => (require("./access/invitations.ts") as typeof Invitations).invitations,
  sessions: () => (require("./sessions.ts") as typeof Sessions).sessions,
  deviceLogins: () => (require("./access/device-logins.ts") as typeof DeviceLogins).deviceLogins,
  grants: () => (require("./access/grants.ts") as typeof Grants).grants,
  factors: () => {
    const [{ factors }, { passkeys }] = [
      require("./factors/factors.ts") as typeof Factors,
      require("./factors/passkeys.ts") as typeof Passkeys,
    ];
    return {
      reads: { ...factors.reads, ...passkeys.reads },
      writes: { ...factors.writes, ...passkeys.writes },
    };
  },
  identities: () => (require("./access/identities.ts") as typeof Identities).identities,
  secrets: () => (require("./secrets.ts") as typeof Secrets).secrets,
  audit: () => (require("./audit.ts") as typeof Audit).audit,
  proposals: () => (require("./changes/proposals.ts") as typeof Proposals).proposals,
  memberships: () => (require("./memberships/members.ts") as typeof Memberships).memberships,
  measurements: () => (require("./experiments/counting.ts") as typeof Counting).measurements,
  forms: () => (require("./forms.ts") as typeof Forms).forms,
  learning: () => (require("./submissions/learning.ts") as typeof Learning).learning,
  feeds: () => (require("./feeds/feeds.ts") as typeof Feeds).feeds,
  targets: () => (require("./delivery/targets.ts") as typeof Targets).targets,
  deliveries: () => (require("./delivery/outbox.ts") as typeof Outbox).deliveries,
};

type Submissions = ReturnType<typeof submissionSlice>;

/** The slices on a database. */
export function sharedSlices(runner: Runner, submissions: () => Submissions) {
  return joinSlices(bindSlices(runner, { ...SLICES, submissions }));
}

/** The slices in a thread that has no database. */
export function remoteSlices(
  call: (noun: string, name: string, args: unknown[]) => Promise<unknown>,
  submissions: () => Submissions,
) {
  return joinSlices(nameSlices(call, { ...SLICES, submissions }));
}

/** Adds the methods of the port that take several calls. */
function joinSlices(
  bound: ReturnType<typeof bindSlices<typeof SLICES & { submissions: () => Submissions }>>,
) {
  return {
    ...bound,
    flags: () => {
      const { selections } = require("./selections.ts") as typeof Selections;
      return { ...bound.flags(), ...selections(bound.selected()) };
    },
    code: () => {
      const { packLists } = require("./code-references.ts") as typeof CodeReferences;
      const code = bound.code();
      return {
        ...code,
        replace: (project: string, upload: CodeUploadRecord, lists: CodeList[], most: number) =>
          code.replacePacked(project, upload, packLists(lists), most),
      };
    },
  };
}
