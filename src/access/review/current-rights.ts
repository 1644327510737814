import type { ActorType } from "../audit/entry.ts";
import { grantsOf } from "../members/member.ts";
import type { Rights } from "../rights.ts";
import type { AccessStore } from "../store.ts";
import { grantOf } from "../token.ts";
import { isExpired } from "../tokens.ts";

type RightsApp = { now: () => number; store: Pick<AccessStore, "users" | "tokens" | "members"> };

/** How far the clocks of servers on one database may be apart, in milliseconds. */
const SKEW_MS = 60_000;

/**
 * The present rights of an actor that acted in a project at an earlier time, in milliseconds since 1970; null if the actor is
 * gone, and if another user or token has taken the name since.
 */
export async function currentRights(
  { store, now }: RightsApp,
  { type, name, project }: { type: ActorType; name: string; project: string },
  actedAt: number,
): Promise<Rights | null> {
  const hasActed = ({ createdAt }: { createdAt: string }) => Date.parse(createdAt) <= actedAt + SKEW_MS;
  if (type === "operator") return { name, type, grants: [{ scopes: ["admin"] }] };
  if (type === "user") {
    const user = await store.users.find(name);
    if (!user || !hasActed(user)) return null;
    return { name, type, role: user.role, grants: grantsOf(user.role, await store.members.ofUser(name)) };
  }
  const tokens = (await store.tokens.list()).filter(
    (token) => token.name === name && !isExpired(token, now()) && hasActed(token),
  );
  const token =
    tokens.find((each) => each.project === project) ?? tokens.find((each) => each.project === undefined);
  return token ? { name, type: "token", grants: [grantOf(token)] } : null;
}
