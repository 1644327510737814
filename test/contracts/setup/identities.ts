import { describe, expect, test } from "bun:test";
import { apply } from "../../support/records/apply.ts";
import { NOW, newSession, userCalled } from "../../support/records/records.ts";
import { type Driver, fresh, opener } from "../driver.ts";

const BY = { who: "Company", at: NOW, type: "system" } as const;
const ISSUER = "https://auth.example.com";

/** What the product relies on for accounts of OpenID providers in every driver. */
export function identitiesContract(driver: Driver): void {
  describe(`identities, kept by ${driver.name},`, async () => {
    const open = opener(driver);
    const store = await open();
    const { identities, sessions, users } = store;
    const addUser = async () => {
      const { name } = userCalled(fresh("user"));
      await apply(store, { change: "insertUser", user: { ...userCalled(name), role: "none" } });
      return name;
    };
    const newIdentity = () => ({ issuer: ISSUER, subject: fresh("subject") });
    const newToken = () => ({ hash: newSession("").hash, expiresAt: NOW + 1000 });

    test("are of one user each, and go with the user", async () => {
      const [user, identity, other] = [await addUser(), newIdentity(), newIdentity()];
      expect(await identities.find(identity)).toBeUndefined();
      await apply(store, { change: "putIdentity", user, at: NOW, ...identity });
      expect(await identities.find(identity)).toBe(user);
      expect(await identities.find({ ...identity, issuer: "https://other.example" })).toBeUndefined();
      expect(await identities.ofUser(user)).toEqual(identity);
      await apply(store, { change: "putIdentity", user, at: NOW, ...other });
      expect([await identities.find(identity), await identities.ofUser(user)]).toEqual([undefined, other]);
      await apply(store, { change: "deleteIdentity", user });
      expect(await identities.ofUser(user)).toBeUndefined();
      await apply(store, { change: "putIdentity", user, at: NOW, ...other });
      await apply(store, { change: "deleteUser", name: user });
      expect(await identities.find(other)).toBeUndefined();
    });

    test("give a role beside that by hand, and the stronger one counts", async () => {
      const user = await addUser();
      expect(await users.roles(user)).toEqual({ byHand: "none", byGroups: null });
      await apply(store, { change: "setGroupRole", user, role: "editor" });
      expect(await users.roles(user)).toEqual({ byHand: "none", byGroups: "editor" });
      expect((await users.find(user))?.role).toBe("editor");
      await apply(store, { change: "updateUser", name: user, role: "viewer" });
      expect((await users.find(user))?.role).toBe("editor");
      await apply(store, { change: "setGroupRole", user, role: "admin" });
      expect(await users.admins(100)).toContain(user);
      await apply(store, { change: "setGroupRole", user, role: null });
      expect((await users.find(user))?.role).toBe("viewer");
      expect(await users.roles("nobody")).toEqual({ byHand: "none", byGroups: null });
    });

    test("end the sessions that a provider names, once for each token", async () => {
      const [user, other, identity] = [await addUser(), await addUser(), newIdentity()];
      await apply(store, { change: "putIdentity", user, at: NOW, ...identity });
      const [one, two] = [newSession("").hash, newSession("").hash];
      const start = async (name: string, method: "oidc" | "cli" | "password", sid: string | null = null) => {
        const session = { ...newSession(name, { method }), sid };
        await sessions.insert(session, null);
        return session.hash;
      };
      const all = [
        await start(user, "oidc", one),
        await start(user, "oidc", two),
        await start(user, "oidc"),
        await start(user, "cli"),
        await start(user, "password"),
        await start(other, "oidc", one),
      ];
      const left = async () =>
        (await Promise.all(all.map((hash) => sessions.find(hash)))).flatMap((found, index) =>
          found ? [index] : [],
        );
      const token = newToken();
      expect(await identities.logOut({ token, sid: one, identity: null }, BY)).toBe(true);
      expect(await left()).toEqual([1, 2, 3, 4]);
      expect(await identities.logOut({ token, sid: two, identity: null }, BY)).toBe(false);
      expect(await identities.logOut({ token: newToken(), sid: one, identity }, BY)).toBe(true);
      expect(await left()).toEqual([1, 3, 4]);
      expect(await identities.logOut({ token: newToken(), sid: null, identity: newIdentity() }, BY)).toBe(
        true,
      );
      expect(await left()).toEqual([1, 3, 4]);
      expect(await identities.logOut({ token: newToken(), sid: null, identity }, BY)).toBe(true);
      expect(await left()).toEqual([4]);
    });
  });
}
