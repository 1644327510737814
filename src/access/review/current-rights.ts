import type { ActorType } from "../audit/entry.ts";
import { grantsOf } from "../members/member.ts";
import type { Rights } from "../rights.ts";
import type { AccessStore } from "../store.ts";
import { grantOf } from "../token.ts";
import { isExpired } from "../tokens.ts";

type RightsApp = { now: () => number; store: Pick<AccessStore, "users" | "tokens" | "members"> };

/**
 * An actor as a change remembers it: its account is null for the operator, and for an actor from before changes remembered
 * accounts.
 */
type Actor = { type: ActorType; name: string; account: string | null };

/** The account of a caller, which no later user or token of the same name has; null for the operator. */
export async function accountOf(
  { store }: Pick<RightsApp, "store">,
  { type, name, grants }: Rights,
): Promise<string | null> {
  if (type === "user") return store.users.account(name);
  return type === "token" ? store.tokens.account(name, grants[0]?.project ?? null) : null;
}

/** Whether a caller is the actor, and not another user or token that has taken the name since. */
export async function isActor(app: Pick<RightsApp, "store">, caller: Rights, actor: Actor): Promise<boolean> {
  if (caller.type !== actor.type || caller.name !== actor.name) return false;
  return actor.account === null || actor.account === (await accountOf(app, caller));
}

/**
 * The present rights of an actor that acted in a project at an earlier time, in milliseconds since 1970; null if the actor is
 * gone, and if another user or token has taken the name since.
 */
export async function currentRights(
  app: RightsApp,
  actor: Actor & { project: string },
  actedAt: number,
): Promise<Rights | null> {
  const { store, now } = app;
  const { type, name, project } = actor;
  const hasActed = async (rights: Rights, createdAt: string) =>
    actor.account === null ? Date.parse(createdAt) <= actedAt : isActor(app, rights, actor);
  if (type === "operator") return { name, type, grants: [{ scopes: ["admin"] }] };
  if (type === "user") {
    const user = await store.users.find(name);
    if (!user) return null;
    const grants = grantsOf(user.role, await store.members.ofUser(name));
    const rights: Rights = { name, type, role: user.role, grants };
    return (await hasActed(rights, user.createdAt)) ? rights : null;
  }
  const tokens = (await store.tokens.named(name)).filter((token) => !isExpired(token, now()));
  for (const place of [project, undefined]) {
    const token = tokens.find((each) => each.project === place);
    const rights: Rights | undefined = token && { name, type: "token", grants: [grantOf(token)] };
    if (rights && (await hasActed(rights, token!.createdAt))) return rights;
  }
  return null;
}
