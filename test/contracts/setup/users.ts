import { describe, expect, test } from "bun:test";
import { ANN, apply } from "../../support/records/apply.ts";
import { NOW, newBegun, newSession, userCalled } from "../../support/records/records.ts";
import { type Driver, fresh, opener } from "../driver.ts";

const HASH = `$argon2id$v=19$m=19456,t=2,p=1$${"a".repeat(43)}$${"b".repeat(43)}`;

/** What the product relies on for users in every driver. */
export function usersContract(driver: Driver): void {
  describe(`users, kept by ${driver.name},`, async () => {
    const open = opener(driver);
    const store = await open();
    const add = async (more = {}) => {
      const user = userCalled(fresh("user"), more);
      await apply(store, { change: "insertUser", user });
      return user;
    };

    test("are found by name, as they were stored", async () => {
      const user = await add({ role: "editor", settings: { timeZone: "Europe/Berlin", shortcuts: false } });
      expect(await store.users.find(user.name)).toEqual(user);
      expect(await store.users.find(user.name.toUpperCase())).toBeUndefined();
      expect(await store.users.password(user.name)).toBeNull();
      expect(await store.users.password("nobody")).toBeNull();
    });

    test("have an account that a later user of the same name does not have, created in the same millisecond", async () => {
      const user = await add();
      const account = await store.users.account(user.name);
      expect(account).not.toBeNull();
      await apply(store, { change: "deleteUser", name: user.name });
      expect(await store.users.account(user.name)).toBeNull();
      await apply(store, { change: "insertUser", user });
      const later = await store.users.account(user.name);
      expect(later).not.toBeNull();
      expect(later).not.toBe(account);
    });

    test("are listed by name, a page at a time", async () => {
      const store = await open();
      for (const name of ["b", "c", "a"])
        await apply(store, { change: "insertUser", user: userCalled(name) });
      const first = await store.users.page({ limit: 2 });
      expect([first.items.map(({ name }) => name), first.more]).toEqual([["a", "b"], true]);
      const { items, more } = await store.users.page({ limit: 2, after: "b" });
      expect([items.map(({ name }) => name), more]).toEqual([["c"], false]);
    });

    test("are counted and listed by the role that counts, and by whether they have a way to sign in", async () => {
      const store = await open();
      for (const [name, role] of [
        ["a", "viewer"],
        ["b", "admin"],
        ["c", "none"],
        ["d", "viewer"],
      ] as const)
        await apply(store, { change: "insertUser", user: userCalled(name, { role }) });
      await apply(store, { change: "setPassword", name: "a", password: HASH, keep: null });
      expect(await store.users.counts()).toEqual({
        all: 4,
        withoutWay: 3,
        roles: { viewer: 2, admin: 1, none: 1 },
      });
      const names = async (filter: Partial<Parameters<typeof store.users.page>[0]>) =>
        (await store.users.page({ limit: 9, ...filter })).items.map(({ name }) => name);
      expect(await names({ role: "viewer" })).toEqual(["a", "d"]);
      expect(await names({ role: "none" })).toEqual(["c"]);
      expect(await names({ role: "viewer", isWithoutWay: true })).toEqual(["d"]);
      await apply(store, { change: "setGroupRole", user: "a", role: "admin" });
      expect((await store.users.counts()).roles).toEqual({ viewer: 1, admin: 2, none: 1 });
      expect(await names({ role: "viewer" })).toEqual(["d"]);
      expect(await names({ role: "admin" })).toEqual(["a", "b"]);
    });

    test("get a role or settings, each without the other", async () => {
      const { name, settings } = await add();
      await apply(store, { change: "updateUser", name, role: "admin" });
      expect(await store.users.find(name)).toMatchObject({ role: "admin", settings });
      const other = { timeZone: null, shortcuts: false };
      await apply(store, { change: "updateUser", name, settings: other });
      expect(await store.users.find(name)).toMatchObject({ role: "admin", settings: other });
    });

    test("that are admins are known, up to a limit", async () => {
      const store = await open();
      expect(await store.users.admins(2)).toEqual([]);
      for (const [name, role] of [
        ["z", "admin"],
        ["m", "viewer"],
        ["a", "admin"],
      ] as const)
        await apply(store, { change: "insertUser", user: userCalled(name, { role }) });
      expect(await store.users.admins(2)).toEqual(["a", "z"]);
      expect(await store.users.admins(1)).toEqual(["a"]);
    });

    test("get a password, which ends their links, and every session but one", async () => {
      const [user, other] = [await add(), await add()];
      const [kept, ended, elsewhere] = [newSession(user.name), newSession(user.name), newSession(other.name)];
      for (const each of [kept, ended, elsewhere]) await store.sessions.insert(each, null);
      const link = { user: user.name, hash: newSession("").hash, expiresAt: NOW + 1000 };
      await store.sessions.insertLink(link, ANN);
      const keep = kept.session.id;
      await apply(store, { change: "setPassword", name: user.name, password: HASH, keep });
      expect(await store.users.password(user.name)).toBe(HASH);
      expect(await store.users.find(user.name)).toMatchObject({ hasPassword: true });
      expect(await store.sessions.find(kept.hash)).toBeDefined();
      expect(await store.sessions.find(ended.hash)).toBeUndefined();
      expect(await store.sessions.find(elsewhere.hash)).toBeDefined();
      expect(await store.sessions.spendLink(link.hash, NOW, newSession(""), newBegun())).toBeUndefined();
      await apply(store, { change: "setPassword", name: user.name, password: HASH, keep: null });
      expect(await store.sessions.find(kept.hash)).toBeUndefined();
    });

    test("are gone once deleted, with their sessions and links", async () => {
      const { name } = await add();
      const session = newSession(name);
      await store.sessions.insert(session, null);
      const link = { user: name, hash: newSession("").hash, expiresAt: NOW + 1000 };
      await store.sessions.insertLink(link, ANN);
      await apply(store, { change: "deleteUser", name });
      expect(await store.users.find(name)).toBeUndefined();
      await apply(store, { change: "insertUser", user: userCalled(name) });
      expect(await store.sessions.find(session.hash)).toBeUndefined();
      expect(await store.sessions.spendLink(link.hash, NOW, newSession(""), newBegun())).toBeUndefined();
    });
  });

  describe(`secrets, kept by ${driver.name},`, async () => {
    const open = opener(driver);

    test("are the first of their name, for all processes", async () => {
      const [near, far] = [await open("secrets"), await open("secrets")];
      const [first, second] = ["a", "b"].map((letter) => letter.repeat(43)) as [string, string];
      expect(await near.secrets.keep("one", first)).toBe(first);
      expect(await far.secrets.keep("one", second)).toBe(first);
      expect(await far.secrets.keep("two", second)).toBe(second);
    });
  });
}
