import type { AuditEvent } from "../access/audit/entry.ts";
import { isoTime } from "../base/clock.ts";
import type { TargetRecord } from "../delivery/target.ts";
import type { Proposal } from "./changes/proposal.ts";
import type { SetupChange } from "./setup.ts";

type Kind = SetupChange["change"];

/** The place of an entry: in a project by its slug, in that of a form by its key or of a target by its id, or in none. */
export type AuditPlace = { project: string } | { form: string } | { target: string } | null;

/** The entry of a change, without its author and its project, which the store finds. */
export type AuditedChange = Omit<AuditEvent, "project"> & {
  place: AuditPlace;
  /** The entry of another project that the change concerns. */
  other?: AuditedChange;
};

type Audited = { [K in Kind]: ((change: SetupChange & { change: K }) => AuditedChange | null) | null };

/**
 * The entry of each change; null for one that is not audited: flags, segments, scheduled changes, ramps and experiments have a history of their
 * own, and how a user likes the dashboard is left out, as are secrets and the values of settings.
 */
const AUDITED: Audited = {
  insertProject: ({ project, name }) => entry("project.create", { project }, project, { name }),
  setProject: ({ project, settings }) => entry("project.set", { project }, project, settings),
  deleteProject: ({ project }) => entry("project.delete", { project }, project),
  insertEnvironment: ({ project, environment }) => entry("environment.create", { project }, environment.slug),
  updateEnvironment: ({ project, environment, name, locked, color, approvals, approveWith }) =>
    entry("environment.set", { project }, environment, { name, locked, color, approvals, approveWith }),
  orderEnvironments: ({ project, environments }) =>
    entry("project.set", { project }, project, { environments }),
  setMetadata: ({ project, environment }) =>
    entry("environment.set", { project }, environment, { fields: ["metadata"] }),
  deleteEnvironment: ({ project, environment }) => entry("environment.delete", { project }, environment),
  insertProposal: ({ project, proposal, action }) =>
    entry(action, { project }, proposal.id, proposalDetails(proposal)),
  updateProposal: ({ project, proposal, action }) => {
    const factor = action === "change.approve" ? proposal.reviews.at(-1)?.factor : undefined;
    const more = factor === undefined ? {} : { with: factor };
    return entry(action, { project }, proposal.id, { ...proposalDetails(proposal), ...more });
  },
  insertProjectTarget: ({ project, target: { id } }) =>
    entry("target.create", { project }, id, { kind: "webhook", on: ["changes"] }),
  deleteProjectTarget: ({ project, id }) => entry("target.delete", { project }, id),
  putTestContext: null,
  deleteTestContext: null,
  putFlag: null,
  deleteFlag: null,
  putSegment: null,
  deleteSegment: null,
  orderSegments: null,
  approveMembers: null,
  suspendMembers: null,
  insertScheduled: null,
  deleteScheduled: null,
  putRamp: null,
  putExperiment: null,
  deleteExperiment: null,
  insertForm: ({ form: { key, slug } }) => entry("form.create", { form: key }, slug),
  updateForm: ({ form: { key, slug }, history }) =>
    entry("form.set", { form: key }, slug, { fields: fieldsOf(history) }),
  // Neither project learns the name of the other.
  moveForm: ({ project, from, slug }) => ({
    ...entry("form.move", { project }, slug, { to: project }),
    other: entry("form.move", { project: from }, slug, { from }),
  }),
  deleteForm: ({ slug, key }) => entry("form.delete", { form: key }, slug),
  recordForm: null,
  insertFeed: ({ feed: { id, formKey, format } }) => entry("feed.create", { form: formKey }, id, { format }),
  deleteFeed: ({ id, formKey }) => entry("feed.revoke", { form: formKey }, id),
  insertTarget: ({ target }) => entry("target.create", targetPlace(target), target.id, { kind: target.kind }),
  updateTarget: ({ target }) =>
    entry("target.set", targetPlace(target), target.id, { enabled: target.enabled }),
  deleteTarget: ({ id }) => entry("target.delete", { target: id }, id),
  insertToken: ({ token: { name, project, environment, scopes, expiresAt } }) =>
    entry("token.create", placeOf(project), name, {
      scopes,
      ...(environment !== undefined && { environment }),
      expiresAt,
    }),
  deleteToken: ({ name, limitedTo }) => entry("token.revoke", placeOf(limitedTo), name),
  insertUser: ({ user: { name, role } }) => entry("user.create", null, name, { role }),
  updateUser: ({ name, role }) => (role === undefined ? null : entry("user.set", null, name, { role })),
  setPassword: ({ name }) => entry("user.set", null, name, { fields: ["password"] }),
  setTotp: ({ name }) => entry("second-factor.create", null, name, { kind: "totp" }),
  setRecoveryCodes: ({ name }) => entry("second-factor.set", null, name, { kind: "recovery codes" }),
  deleteTotp: ({ name }) => entry("second-factor.delete", null, name, { kind: "totp" }),
  insertPasskey: ({ name, passkey: { id } }) =>
    entry("second-factor.create", null, name, { kind: "passkey", id }),
  renamePasskey: ({ name, id }) => entry("second-factor.set", null, name, { kind: "passkey", id }),
  deletePasskey: ({ name, id }) => entry("second-factor.delete", null, name, { kind: "passkey", id }),
  resetFactors: ({ name }) => entry("second-factor.reset", null, name),
  putIdentity: ({ user, issuer, subject }) =>
    entry("user.set", null, user, { identity: { issuer, subject } }),
  deleteIdentity: ({ user }) => entry("user.set", null, user, { identity: null }),
  setGroupRole: ({ user, role }) => entry("user.set", null, user, { role, source: "oidc" }),
  deleteUser: ({ name }) => entry("user.delete", null, name),
  putMember: ({ project, user, isNew, role, environments, source }) =>
    entry(isNew ? "member.create" : "member.set", { project }, user, { role, environments, source }),
  deleteMember: ({ project, user }) => entry("member.remove", { project }, user),
  insertInvitation: ({ invitation: { project, id, role, environments, expiresAt } }) =>
    entry("invitation.create", { project }, id, { role, environments, expiresAt: isoTime(expiresAt) }),
  deleteInvitation: ({ project, id, isSpent }) =>
    entry(isSpent ? "invitation.spend" : "invitation.delete", { project }, id),
};

/** The entry of a change; null for none. */
export function auditedChange(change: SetupChange): AuditedChange | null {
  const describe = AUDITED[change.change] as ((change: SetupChange) => AuditedChange | null) | null;
  return describe === null ? null : describe(change);
}

function entry(
  action: AuditEvent["action"],
  place: AuditPlace,
  object: string,
  details: AuditEvent["details"] = {},
): AuditedChange {
  return { action, place, object, details };
}

function placeOf(project: string | undefined): AuditPlace {
  return project === undefined ? null : { project };
}

function targetPlace({ formKey, project }: Pick<TargetRecord, "formKey" | "project">): AuditPlace {
  return formKey === null ? placeOf(project ?? undefined) : { form: formKey };
}

/** The names of the settings that a change of a form altered. */
function fieldsOf(history: { after?: unknown } | undefined): string[] {
  return Object.keys(history?.after ?? {});
}

function proposalDetails({ environments, summary, who, bypass }: Proposal): AuditEvent["details"] {
  return { environments, summary, author: who, ...(bypass && { bypass }) };
}
