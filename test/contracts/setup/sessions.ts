import { describe, expect, test } from "bun:test";
import type { DeviceLogin } from "../../../src/access/device/device-login.ts";
import { ANN, apply } from "../../support/records/apply.ts";
import { NOW, newBegun, newSession, userCalled } from "../../support/records/records.ts";
import { type Driver, fresh, opener } from "../driver.ts";

const HASH = `$argon2id$v=19$m=19456,t=2,p=1$${"a".repeat(43)}$${"b".repeat(43)}`;

/** A login of a command line, under hashes of its own. */
const newLogin = (more: Partial<DeviceLogin> = {}) => ({
  login: {
    client: "formflag on ada ✓",
    address: "192.0.2.9",
    lasts: 60,
    createdAt: NOW,
    expiresAt: NOW + 900,
    ...more,
  },
  hash: newSession("").hash,
  code: newSession("").hash,
});

/** What the product relies on for logins of command lines in every driver. */
export function deviceLoginsContract(driver: Driver): void {
  describe(`logins of command lines, kept by ${driver.name},`, async () => {
    const open = opener(driver);
    const store = await open();
    const { deviceLogins, sessions } = store;
    const start = () => newSession("", { method: "cli", agent: "", address: "" });
    const addUser = async () => {
      const user = userCalled(fresh("user"));
      await apply(store, { change: "insertUser", user });
      return user;
    };

    test("that have expired take no place from those that wait", async () => {
      const at = (now: number) => {
        const { login, ...secrets } = newLogin();
        return { ...secrets, login: { ...login, createdAt: now, expiresAt: now + 900 } };
      };
      // Later than any other test, whose logins have expired by then.
      const later = NOW + 1_000_000_000;
      for (const now of [later, later + 1]) expect(await deviceLogins.insert(at(now), 2)).toBe(true);
      expect(await deviceLogins.insert(at(later + 2), 2)).toBe(false);
      expect(await deviceLogins.insert(at(later + 900), 2)).toBe(true);
      expect(await deviceLogins.insert(at(later + 900), 2)).toBe(false);
    });

    test("wait under their code until they are approved, and begin one session", async () => {
      const [user, one, other] = [await addUser(), newLogin(), newLogin()];
      for (const each of [one, other]) expect(await deviceLogins.insert(each, 100)).toBe(true);
      expect(await deviceLogins.insert({ ...newLogin(), code: one.code }, 100)).toBe(false);
      expect(await deviceLogins.find(one.code, NOW)).toEqual(one.login);
      expect(await deviceLogins.find(one.hash, NOW)).toBeUndefined();
      expect(await deviceLogins.find(one.code, NOW + 900)).toBeUndefined();
      expect(await deviceLogins.poll(one.hash, NOW, start())).toEqual({ state: "waiting", polledAt: null });
      expect(await deviceLogins.poll(one.hash, NOW + 5, start())).toEqual({
        state: "waiting",
        polledAt: NOW,
      });

      expect(await deviceLogins.answer(one.code, { user: user.name, session: null }, NOW + 900)).toBe(false);
      expect(await deviceLogins.answer(one.code, { user: user.name, session: null }, NOW)).toBe(true);
      expect(await deviceLogins.answer(one.code, null, NOW)).toBe(false);
      expect(await deviceLogins.find(one.code, NOW)).toBeUndefined();
      const begun = start();
      const session = {
        ...begun.session,
        user: user.name,
        agent: one.login.client,
        address: one.login.address,
        expiresAt: NOW + 7 + 60_000,
      };
      expect(await deviceLogins.poll(one.hash, NOW + 7, begun)).toEqual({
        state: "approved",
        user: user.name,
        session,
      });
      expect(await sessions.find(begun.hash)).toEqual({ user, memberships: [], session });
      expect(await deviceLogins.poll(one.hash, NOW + 8, start())).toEqual({ state: "unknown" });
      expect(await deviceLogins.poll(other.hash, NOW, start())).toEqual({ state: "waiting", polledAt: null });
    });

    test("are denied, expire, and end with the user who approved them, or with a new password", async () => {
      const [user, gone] = [await addUser(), await addUser()];
      const [denied, late, ofGone, before] = [newLogin(), newLogin(), newLogin(), newLogin()];
      for (const each of [denied, late, ofGone, before]) await deviceLogins.insert(each, 100);
      expect(await deviceLogins.answer(denied.code, null, NOW)).toBe(true);
      expect(await deviceLogins.poll(denied.hash, NOW, start())).toEqual({ state: "denied" });
      expect(await deviceLogins.poll(late.hash, NOW + 900, start())).toEqual({ state: "unknown" });
      await deviceLogins.answer(ofGone.code, { user: gone.name, session: null }, NOW);
      await apply(store, { change: "deleteUser", name: gone.name });
      expect(await deviceLogins.poll(ofGone.hash, NOW, start())).toEqual({ state: "unknown" });
      await deviceLogins.answer(before.code, { user: user.name, session: null }, NOW);
      await apply(store, { change: "setPassword", name: user.name, password: HASH, keep: null });
      expect(await deviceLogins.poll(before.hash, NOW, start())).toEqual({ state: "unknown" });
    });

    test("are limited in number, removed once they have expired, and in no copy", async () => {
      const [from, into] = [fresh("database"), fresh("database")];
      const store = await open(from);
      const [old, live] = [newLogin({ expiresAt: NOW }), newLogin({ expiresAt: NOW + 1 })];
      for (const each of [old, live]) expect(await store.deviceLogins.insert(each, 2)).toBe(true);
      // The old one has expired, and takes no place.
      expect(await store.deviceLogins.insert(newLogin(), 1)).toBe(false);
      const until = { seenBefore: NOW - 10, createdBefore: NOW - 20, now: NOW };
      expect(await store.sessions.clearEnded(until, 10)).toBe(false);
      expect(await store.deviceLogins.find(old.code, NOW - 1)).toBeUndefined();
      expect(await store.deviceLogins.find(live.code, NOW)).toEqual(live.login);
      await driver.copy(from, into, () => {});
      expect(await (await open(into)).deviceLogins.find(live.code, NOW)).toBeUndefined();
    });
  });
}

/** What the product relies on for sessions and sign-in links in every driver. */
export function sessionsContract(driver: Driver): void {
  describe(`sessions, kept by ${driver.name},`, async () => {
    const open = opener(driver);
    const store = await open();
    const addUser = async () => {
      const user = userCalled(fresh("user"));
      await apply(store, { change: "insertUser", user });
      return user;
    };

    test("are found by the hash of their secret or by id, with their user", async () => {
      const user = await addUser();
      const start = newSession(user.name, { agent: "Firefox ✓", address: "2001:db8::1", method: "proxy" });
      expect(await store.sessions.insert(start, null)).toEqual(user);
      expect(await store.sessions.find(start.hash)).toEqual({
        user,
        memberships: [],
        session: start.session,
      });
      expect(await store.sessions.findById(start.session.id)).toEqual(start.session);
      expect(await store.sessions.find(start.session.id)).toBeUndefined();
      expect(await store.sessions.find("")).toBeUndefined();
      expect(await store.sessions.findById(start.hash)).toBeUndefined();
    });

    test("begin only for a user that exists, and with the password that was checked", async () => {
      const { name } = await addUser();
      const start = newSession(name);
      expect(await store.sessions.insert(newSession("nobody"), null)).toBeUndefined();
      expect(await store.sessions.insert(start, HASH)).toBeUndefined();
      expect(await store.sessions.find(start.hash)).toBeUndefined();
      await apply(store, { change: "setPassword", name, password: HASH, keep: null });
      expect(await store.sessions.insert(start, HASH.replace("b", "c"))).toBeUndefined();
      expect(await store.sessions.insert(start, HASH)).toMatchObject({ name, hasPassword: true });
    });

    test("past the most of a user end, the one seen longest ago first", async () => {
      const [{ name }, other] = [await addUser(), await addUser()];
      const [old, seen, next] = [0, 1, 2].map((age) =>
        newSession(name, { createdAt: NOW + age, seenAt: NOW + age }),
      );
      const elsewhere = newSession(other.name, { seenAt: NOW - 1000 });
      for (const each of [elsewhere, old!, seen!]) await store.sessions.insert({ ...each, most: 2 }, null);
      await store.sessions.markSeen(old!.hash, NOW + 3);
      await store.sessions.insert({ ...next!, most: 2 }, null);
      expect(await store.sessions.find(seen!.hash)).toBeUndefined();
      expect(await store.sessions.find(old!.hash)).toMatchObject({ session: { seenAt: NOW + 3 } });
      expect(await store.sessions.find(next!.hash)).toBeDefined();
      expect(await store.sessions.find(elsewhere.hash)).toBeDefined();
    });

    test("the one that begins stays, also where the others were seen later by another clock", async () => {
      const { name } = await addUser();
      const [ahead, same, next] = [5000, 0, 0].map((age) => newSession(name, { seenAt: NOW + age }));
      for (const each of [ahead!, same!, next!]) await store.sessions.insert({ ...each, most: 1 }, null);
      expect(await store.sessions.find(next!.hash)).toBeDefined();
      for (const each of [ahead!, same!]) expect(await store.sessions.find(each.hash)).toBeUndefined();
    });

    test("are listed by id, of everybody or of a user, a page at a time", async () => {
      const store = await open();
      for (const name of ["ann", "ben"]) await apply(store, { change: "insertUser", user: userCalled(name) });
      for (const name of ["ann", "ben", "ann"]) await store.sessions.insert(newSession(name), null);
      const all = (await store.sessions.page(null, { limit: 10 })).items;
      expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted());
      expect(all).toHaveLength(3);
      const ofAnn = all.filter(({ user }) => user === "ann");
      expect(await store.sessions.page("ann", { limit: 10 })).toEqual({ items: ofAnn, more: false });
      expect(await store.sessions.page("ann", { limit: 1 })).toEqual({ items: [ofAnn[0]!], more: true });
      const rest = await store.sessions.page("ann", { limit: 1, after: ofAnn[0]!.id });
      expect(rest).toEqual({ items: [ofAnn[1]!], more: false });
      expect((await store.sessions.page("nobody", { limit: 1 })).items).toEqual([]);
    });

    test("end by id or by hash", async () => {
      const { name } = await addUser();
      const [one, two] = [newSession(name), newSession(name)];
      for (const each of [one, two]) await store.sessions.insert(each, null);
      expect(await store.sessions.delete(one.session.id, ANN)).toBe(true);
      expect(await store.sessions.delete(one.session.id, ANN)).toBe(false);
      await store.sessions.deleteByHash(two.hash, { at: NOW });
      await store.sessions.deleteByHash(two.hash, { at: NOW });
      expect(await store.sessions.page(name, { limit: 10 })).toEqual({ items: [], more: false });
      await store.sessions.markSeen(two.hash, NOW);
    });

    test("begin by a link once, until it expires", async () => {
      const user = await addUser();
      const link = { user: user.name, hash: newSession("").hash, expiresAt: NOW + 1000 };
      expect(await store.sessions.insertLink(link, ANN)).toBe(true);
      expect(await store.sessions.insertLink({ ...link, user: "nobody" }, ANN)).toBe(false);
      const start = newSession("");
      expect(await store.sessions.spendLink(link.hash, NOW + 1000, start, newBegun())).toBeUndefined();
      expect(await store.sessions.spendLink(start.hash, NOW, start, newBegun())).toBeUndefined();
      expect(await store.sessions.spendLink(link.hash, NOW + 999, start, newBegun())).toEqual({
        user,
        isBegun: false,
      });
      const session = { ...start.session, user: user.name };
      expect(await store.sessions.find(start.hash)).toEqual({ user, memberships: [], session });
      expect(await store.sessions.spendLink(link.hash, NOW, newSession(""), newBegun())).toBeUndefined();
    });

    test("and links that have ended are removed in steps", async () => {
      const store = await open();
      await apply(store, { change: "insertUser", user: userCalled("ann") });
      const idle = newSession("ann", { createdAt: NOW - 5, seenAt: NOW - 10 });
      const old = newSession("ann", { createdAt: NOW - 20, seenAt: NOW });
      const live = newSession("ann", { createdAt: NOW - 19, seenAt: NOW - 9 });
      for (const each of [idle, old, live]) await store.sessions.insert(each, null);
      const links = [NOW, NOW + 1].map((expiresAt) => ({
        user: "ann",
        hash: newSession("").hash,
        expiresAt,
      }));
      for (const each of links) await store.sessions.insertLink(each, ANN);
      const until = { seenBefore: NOW - 10, createdBefore: NOW - 20, now: NOW };
      expect(await store.sessions.clearEnded(until, 2)).toBe(true);
      expect(await store.sessions.clearEnded(until, 2)).toBe(false);
      expect((await store.sessions.page(null, { limit: 10 })).items).toEqual([live.session]);
      expect(
        await store.sessions.spendLink(links[0]!.hash, NOW - 1, newSession(""), newBegun()),
      ).toBeUndefined();
      expect(await store.sessions.spendLink(links[1]!.hash, NOW, newSession(""), newBegun())).toMatchObject({
        user: { name: "ann" },
      });
    });

    test("end at a time of their own, and those of the command line do not end for not being used", async () => {
      const store = await open();
      await apply(store, { change: "insertUser", user: userCalled("ann") });
      const ended = newSession("ann", { expiresAt: NOW, method: "oidc" });
      const unused = newSession("ann", { expiresAt: NOW + 1, method: "cli", seenAt: NOW - 10 });
      for (const each of [ended, unused]) await store.sessions.insert(each, null);
      expect(await store.sessions.findById(ended.session.id)).toEqual(ended.session);
      const until = { seenBefore: NOW - 10, createdBefore: NOW - 20, now: NOW };
      expect(await store.sessions.clearEnded(until, 10)).toBe(false);
      expect((await store.sessions.page(null, { limit: 10 })).items).toEqual([unused.session]);
    });

    test("and links are in no copy, which has the users", async () => {
      const [from, into] = [fresh("database"), fresh("database")];
      const store = await open(from);
      const user = userCalled("ann");
      await apply(store, { change: "insertUser", user });
      const start = newSession("ann");
      await store.sessions.insert(start, null);
      const link = { user: "ann", hash: newSession("").hash, expiresAt: NOW + 1000 };
      await store.sessions.insertLink(link, ANN);
      await driver.copy(from, into, () => {});
      const copy = await open(into);
      expect(await copy.users.find("ann")).toEqual(user);
      expect(await copy.sessions.find(start.hash)).toBeUndefined();
      expect(await copy.sessions.spendLink(link.hash, NOW, newSession(""), newBegun())).toBeUndefined();
    });
  });
}
