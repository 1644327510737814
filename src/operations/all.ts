import { audit } from "./access/audit.ts";
import { changes } from "./changes/changes.ts";
import { plans } from "./changes/plans.ts";
import { projectTargets } from "./changes/project-targets.ts";
import { codeReferences } from "./code-references.ts";
import { contexts } from "./changes/contexts.ts";
import { deliveries } from "./deliveries.ts";
import { documents } from "./documents.ts";
import { environments } from "./environments.ts";
import { experiments } from "./experiments.ts";
import { feedback } from "./feedback.ts";
import { feeds } from "./feeds/feeds.ts";
import { flagd } from "./flagd.ts";
import { flags } from "./flags.ts";
import { forms } from "./forms.ts";
import { grants } from "./access/grants.ts";
import { history } from "./history.ts";
import { inbox } from "./inbox.ts";
import { login } from "./access/login.ts";
import { invitations } from "./access/invitations.ts";
import { mail } from "./mail.ts";
import { manifest } from "./manifest/manifest.ts";
import { me } from "./access/me.ts";
import { members } from "./access/members.ts";
import type { Operation } from "./operation.ts";
import { projects } from "./projects.ts";
import { promotion } from "./promotion.ts";
import { ramps } from "./ramps.ts";
import { scheduled } from "./scheduled.ts";
import { segments } from "./segments.ts";
import { server } from "./server.ts";
import { sessions } from "./access/sessions.ts";
import { stale } from "./stale.ts";
import { stats } from "./stats.ts";
import { submissions } from "./submissions.ts";
import { targets } from "./targets.ts";
import { today } from "./today/today.ts";
import { tokens } from "./access/tokens.ts";
import { users } from "./access/users.ts";

/** The nouns of the admin API, in the order of its description, each with its operations by name. */
export const NOUNS = {
  projects,
  environments,
  flags,
  feedback,
  stale,
  codeReferences,
  segments,
  contexts,
  flagd,
  manifest,
  history,
  promotion,
  scheduled,
  ramps,
  experiments,
  changes,
  plans,
  projectTargets,
  forms,
  feeds,
  targets,
  inbox,
  submissions,
  deliveries,
  documents,
  today,
  stats,
  server,
  mail,
  me,
  members,
  invitations,
  tokens,
  users,
  sessions,
  grants,
  login,
  audit,
};

/** Every operation of the admin API, in that order. */
export const OPERATIONS: readonly Operation[] = Object.values(NOUNS).flatMap((noun): Operation[] =>
  Object.values(noun),
);
