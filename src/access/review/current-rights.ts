import type { ActorType } from "../audit/entry.ts";
import { grantsOf } from "../members/member.ts";
import type { Rights } from "../rights.ts";
import type { AccessStore } from "../store.ts";
import { grantOf } from "../token.ts";
import { isExpired } from "../tokens.ts";

type RightsApp = { now: () => number; store: Pick<AccessStore, "users" | "tokens" | "members"> };

/** The rights that an actor has now who acted in a project before; null for one who is gone. */
export async function currentRights(
  { store, now }: RightsApp,
  { type, name, project }: { type: ActorType; name: string; project: string },
): Promise<Rights | null> {
  if (type === "operator") return { name, type, grants: [{ scopes: ["admin"] }] };
  if (type === "user") {
    const user = await store.users.find(name);
    if (!user) return null;
    return { name, type, role: user.role, grants: grantsOf(user.role, await store.members.ofUser(name)) };
  }
  const tokens = (await store.tokens.list()).filter(
    (token) => token.name === name && !isExpired(token, now()),
  );
  const token =
    tokens.find((each) => each.project === project) ?? tokens.find((each) => each.project === undefined);
  return token ? { name, type: "token", grants: [grantOf(token)] } : null;
}
