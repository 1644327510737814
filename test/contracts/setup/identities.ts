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
        await start(user, "cli", one),
        await start(user, "cli", two),
      ];
      const left = async () =>
        (await Promise.all(all.map((hash) => sessions.find(hash)))).flatMap((found, index) =>
          found ? [index] : [],
        );
      const token = newToken();
      expect(await identities.logOut({ token, sid: one, identity: null }, BY)).toBe(true);
      expect(await left()).toEqual([1, 2, 3, 4, 7]);
      expect(await identities.logOut({ token, sid: two, identity: null }, BY)).toBe(false);
      expect(await identities.logOut({ token: newToken(), sid: one, identity }, BY)).toBe(true);
      expect(await left()).toEqual([1, 4, 7]);
      expect(await identities.logOut({ token: newToken(), sid: null, identity: newIdentity() }, BY)).toBe(
        true,
      );
      expect(await left()).toEqual([1, 4, 7]);
      expect(await identities.logOut({ token: newToken(), sid: null, identity }, BY)).toBe(true);
      expect(await left()).toEqual([4]);
    });

    test("end logins of the command line with the session that approved them, also before their first use", async () => {
      const [user, identity] = [await addUser(), newIdentity()];
      await apply(store, { change: "putIdentity", user, at: NOW, ...identity });
      const [sid, other] = [newSession("").hash, newSession("").hash];
      const approve = async (of: string | null, isUsed: boolean) => {
        const session = { ...newSession(user, { method: "oidc" }), sid: of };
        await sessions.insert(session, null);
        const [hash, code] = [newSession("").hash, newSession("").hash];
        const times = { lasts: 60, createdAt: NOW, expiresAt: NOW + 900 };
        await store.deviceLogins.insert({ login: { client: "", address: "", ...times }, hash, code }, 100);
        await store.deviceLogins.answer(code, { user, session: session.session.id }, NOW);
        const start = newSession("", { method: "cli" });
        const poll = () => store.deviceLogins.poll(hash, NOW, start);
        if (isUsed) await poll();
        return async () =>
          isUsed ? (await sessions.find(start.hash)) !== undefined : (await poll()).state === "approved";
      };
      const used = await approve(sid, true);
      const waiting = await approve(sid, false);
      const elsewhere = await approve(other, true);
      const unknown = await approve(null, true);
      const unknownWaits = await approve(null, false);
      await identities.logOut({ token: newToken(), sid, identity: null }, BY);
      expect([await used(), await waiting(), await elsewhere(), await unknown()]).toEqual([
        false,
        false,
        true,
        true,
      ]);
      await identities.logOut({ token: newToken(), sid, identity }, BY);
      expect([await elsewhere(), await unknown(), await unknownWaits()]).toEqual([true, false, false]);
      const waits = await approve(other, false);
      await identities.logOut({ token: newToken(), sid: null, identity }, BY);
      expect([await elsewhere(), await waits()]).toEqual([false, false]);
    });
  });
}
