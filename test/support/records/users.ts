import { HASHING } from "../../../src/access/password.ts";
import type { UserRole } from "../../../src/access/role.ts";
import { userCaller } from "../../../src/access/sessions.ts";
import { type Entrance, type NewlySignedIn, signInByLink } from "../../../src/access/sign-in.ts";
import type { Browser } from "../../../src/access/session.ts";
import { createLink, createUser } from "../../../src/access/users.ts";
import type { App } from "../../../src/app.ts";
import { apply } from "./apply.ts";
import { OPERATOR } from "./caller.ts";

export const BROWSER: Browser = { agent: "Firefox", address: "192.0.2.1", network: "192.0.2.1" };

export const PASSWORD = "correct horse battery";

/** The session of a sign-in that needs no code. */
export function whole(entrance: Entrance): NewlySignedIn {
  if ("begun" in entrance) throw new Error("the sign-in waits for a code");
  return entrance;
}

/** A user of that name, created with that role unless there is one, who signs in by a link. */
export async function signIn(app: App, name: string, role: UserRole = "viewer") {
  if (!(await app.store.users.find(name))) await createUser(app, OPERATOR, { name, role });
  const { secret: link } = await createLink(app, OPERATOR, name);
  const signedIn = whole(await signInByLink(app, link, BROWSER));
  return { ...signedIn, caller: userCaller(app, signedIn, signedIn.secret, () => true) };
}

/** Gives a user that password, with a hash that takes a thousandth of a real one. Ends all sessions of the user. */
export async function givePassword(app: App, name: string, password = PASSWORD): Promise<void> {
  const hash = Bun.password.hashSync(password, { ...HASHING, memoryCost: 8, timeCost: 1 });
  await apply(app.store, { change: "setPassword", name, password: hash, keep: null });
}
