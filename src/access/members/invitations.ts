import { DAY_MS } from "../../base/days.ts";
import { AppError } from "../../base/errors.ts";
import { dashedKey } from "../../base/ids.ts";
import type { Page, PageQuery } from "../../base/pages.ts";
import { sha256 } from "../../base/sum.ts";
import type { Caller } from "../caller.ts";
import type { AccessChange } from "../change.ts";
import { change, type Plan } from "../door.ts";
import { checkNewPassword } from "../password.ts";
import { hashPassword } from "../passwords.ts";
import { hasScope, requireScope } from "../rights.ts";
import { ROLES } from "../role.ts";
import { signInSecret } from "../session.ts";
import type { AccessApp } from "../store.ts";
import { grantOf } from "../token.ts";
import { isExpired } from "../tokens.ts";
import { planUser } from "../users.ts";
import { INVITATION_DAYS, type Invitation, type Maker, noSuchInvitation } from "./invitation.ts";
import { type MemberRole, grantsOf } from "./member.ts";
import { type GivenRole, memberRole } from "./members.ts";

/**
 * Creates a link that makes one user a member of a project, within 7 days unless another time is given. Only the
 * SHA-256 of its secret is stored. Throws `invalid` for the time, `not_found`, `forbidden`.
 */
export async function createInvitation(
  app: AccessApp,
  caller: Caller,
  project: string,
  { expiresAt, ...given }: GivenRole & { expiresAt?: string | undefined },
): Promise<{ invitation: Invitation; secret: string }> {
  requireScope(caller, "admin", { project });
  const role = memberRole(given);
  const secret = signInSecret(app.random);
  const id = dashedKey(app.random);
  const invitation = await change(app, caller, async ({ at }): Promise<Plan<AccessChange, Invitation>> => {
    const end = expiresAt === undefined ? at + INVITATION_DAYS.default * DAY_MS : Date.parse(expiresAt);
    if (end <= at || end > at + INVITATION_DAYS.most * DAY_MS)
      throw new AppError("invalid", `an invitation expires within ${INVITATION_DAYS.most} days`);
    const made: Invitation = { id, project, ...role, maker: makerOf(caller), createdAt: at, expiresAt: end };
    return {
      changes: [{ change: "insertInvitation", invitation: made, hash: sha256(secret) }],
      result: made,
    };
  });
  return { invitation, secret };
}

function makerOf({ type, name, grants }: Caller): Maker {
  if (type === "token") return { type, name, project: grants[0]?.project ?? null };
  return type === "user" ? { type, name } : { type };
}

/**
 * The invitations to a project that still work, and the id of the last one read, behind which the next page begins. Throws
 * `forbidden`, `not_found`.
 */
export async function listInvitations(
  app: AccessApp,
  caller: Caller,
  project: string,
  query: PageQuery,
): Promise<Page<Invitation> & { last: string | null }> {
  requireScope(caller, "admin", { project });
  const { items, more } = await app.store.invitations.page(project, query);
  const works = await Promise.all(items.map((each) => stillWorks(app, each)));
  return { items: items.filter((_, index) => works[index]), more, last: items.at(-1)?.id ?? null };
}

/** Ends an invitation. Throws `not_found`, `forbidden`. */
export async function revokeInvitation(
  app: AccessApp,
  caller: Caller,
  project: string,
  id: string,
): Promise<void> {
  requireScope(caller, "admin", { project });
  return change(app, caller, async (): Promise<Plan<AccessChange, void>> => {
    if (!(await app.store.invitations.findById(project, id))) throw noSuchInvitation(id);
    return { changes: [{ change: "deleteInvitation", project, id, isSpent: false }], result: undefined };
  });
}

/** The invitation of a secret. Throws `not_found` for one that is unknown, spent or expired, or whose maker lost the right. */
export async function findInvitation(app: AccessApp, secret: string): Promise<Invitation> {
  const invitation = await app.store.invitations.find(sha256(secret));
  if (invitation && (await stillWorks(app, invitation))) return invitation;
  throw new AppError("not_found", "this invitation was used already, or has ended: ask for a new one", {
    reason: "invitation-unknown",
  });
}

/** Makes the caller, a user, a member by an invitation, which is spent. Throws `forbidden`, and as {@link findInvitation}. */
export async function acceptInvitation(app: AccessApp, caller: Caller, secret: string): Promise<Invitation> {
  if (caller.type !== "user") throw new AppError("forbidden", "only a user can accept an invitation");
  return change(app, caller, async (): Promise<Plan<AccessChange, Invitation>> => {
    const invitation = await findInvitation(app, secret);
    const joined = await planJoin(app, caller.name, invitation);
    return { changes: [...joined, spent(invitation)], result: invitation };
  });
}

/**
 * Creates a user with a password, who is a member by an invitation, which is spent. Throws `invalid` for the name and the
 * password, `conflict` for the name of another user, `rate_limited`, and as {@link findInvitation}.
 */
export async function joinByInvitation(
  app: AccessApp,
  secret: string,
  { name, password }: { name: string; password: string },
  address?: string,
): Promise<Invitation> {
  const checked = checkNewPassword(password);
  const { id } = await findInvitation(app, secret);
  const hash = await hashPassword(app, checked, `invitation ${id}`);
  const self = { type: "user" as const, name, address, verify: async () => {} };
  return change(app, self, async ({ at }): Promise<Plan<AccessChange, Invitation>> => {
    const invitation = await findInvitation(app, secret);
    const { project, role, environments } = invitation;
    const { changes } = await planUser(app, { name, role: "none" }, at);
    return {
      changes: [
        ...changes,
        { change: "setPassword", name, password: hash, keep: null },
        { change: "putMember", project, user: name, source: "manual", isNew: true, role, environments },
        spent(invitation),
      ],
      result: invitation,
    };
  });
}

/** The change that gives a user the role of an invitation, unless the user has a stronger one by hand. */
async function planJoin(
  { store }: AccessApp,
  user: string,
  { project, role, environments }: Invitation,
): Promise<AccessChange[]> {
  const known = await store.members.find(project, user);
  const before = known.find(({ source }) => source === "manual");
  if (before && !isStronger({ role, environments }, before)) return [];
  const isNew = known.length === 0;
  return [{ change: "putMember", project, user, source: "manual", isNew, role, environments }];
}

function spent({ project, id }: Invitation): AccessChange {
  return { change: "deleteInvitation", project, id, isSpent: true };
}

/** Whether a role allows something that another does not. */
function isStronger(role: MemberRole, other: MemberRole): boolean {
  const [rank, otherRank] = [ROLES.indexOf(role.role), ROLES.indexOf(other.role)];
  return rank === otherRank ? other.environments !== null : rank > otherRank;
}

/** Whether an invitation has not expired, and its maker could still make it. */
async function stillWorks(app: AccessApp, { maker, project, expiresAt }: Invitation): Promise<boolean> {
  const { store, now } = app;
  if (expiresAt <= now()) return false;
  if (maker.type === "operator") return true;
  const { name } = maker;
  if (maker.type === "token") {
    const token = (await store.tokens.named(name)).find((each) => (each.project ?? null) === maker.project);
    if (!token || isExpired(token, now())) return false;
    return hasScope({ name, type: "token", grants: [grantOf(token)] }, "admin", { project });
  }
  const user = await store.users.find(name);
  if (!user) return false;
  const grants = grantsOf(user.role, await store.members.ofUser(name));
  return hasScope({ name, type: "user", grants }, "admin", { project });
}
