import { describe, expect, test } from "bun:test";
import { ANN, apply } from "../../support/records/apply.ts";
import { NOW, newBegun, newPasskey, newSession, random, userCalled } from "../../support/records/records.ts";
import { reasonOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

const LIMITS = { most: 5, failures: 20, waitSeconds: 10 };

const hash = () => Buffer.from(random(32)).toString("hex");

/** What the product relies on for second factors in every driver. */
export function factorsContract(driver: Driver): void {
  describe(`second factors, kept by ${driver.name},`, async () => {
    const open = opener(driver);
    const store = await open();
    const addUser = async () => {
      const { name } = userCalled(fresh("user"));
      await apply(store, { change: "insertUser", user: userCalled(name) });
      return name;
    };
    /** A user with a key whose code of step 5 counted, and recovery codes. */
    const addTotp = async () => {
      const [name, key, recovery] = [await addUser(), random(20), [hash(), hash()]];
      const keep = null;
      await apply(store, { change: "setTotp", name, key, step: 5, recovery, at: NOW, keep });
      const begin = async (expiresAt = NOW + 1000) => {
        const begun = newBegun(expiresAt);
        const [link, start] = [newBegun(NOW + 1000), newSession("", { method: "link" })];
        await store.sessions.insertLink({ user: name, ...link }, ANN);
        const entrance = await store.sessions.spendLink(link.hash, NOW, start, begun);
        expect(entrance).toMatchObject({ user: { name, secondFactors: ["totp"] }, isBegun: true });
        return begun.hash;
      };
      return { name, key, recovery, begin };
    };
    const challenge = () => ({ hash: hash(), expiresAt: NOW + 1000 });

    test("are those of a user, until they are removed", async () => {
      const { name, key } = await addTotp();
      expect(await store.factors.totp(name)).toEqual({
        key: new Uint8Array(key),
        step: 5,
        createdAt: NOW,
        recoveryCodes: 2,
      });
      const passkey = newPasskey({ counter: 7 });
      const keep = null;
      await apply(store, { change: "insertPasskey", name, passkey, challenge: challenge(), keep });
      expect((await store.users.find(name))!.secondFactors).toEqual(["totp", "passkey"]);
      await apply(store, { change: "renamePasskey", name, id: passkey.id, label: "Key" });
      expect(await store.factors.passkeys(name)).toMatchObject([{ id: passkey.id, name: "Key", counter: 7 }]);
      await apply(store, { change: "deletePasskey", name: await addUser(), id: passkey.id, keep });
      expect(await store.factors.passkeys(name)).toHaveLength(1);
      await apply(store, { change: "deletePasskey", name, id: passkey.id, keep });
      expect(await store.factors.passkeys(name)).toEqual([]);
      await apply(store, { change: "deleteTotp", name, keep });
      expect(await store.factors.totp(name)).toBeUndefined();
      expect((await store.users.find(name))!.secondFactors).toEqual([]);
    });

    test("end every other session and what has begun when they change", async () => {
      const name = await addUser();
      const [kept, other] = [newSession(name), newSession(name)];
      const keep = kept.session.id;
      const passkey = newPasskey();
      for (const change of [
        { change: "setTotp", name, key: random(20), step: 1, recovery: [hash()], at: NOW, keep },
        { change: "setRecoveryCodes", name, recovery: [hash()], keep },
        { change: "insertPasskey", name, passkey, challenge: challenge(), keep },
        { change: "deletePasskey", name, id: passkey.id, keep },
        { change: "deleteTotp", name, keep },
        { change: "resetFactors", name },
      ] as const) {
        for (const each of [kept, other])
          if (!(await store.sessions.find(each.hash))) await store.sessions.insert(each, null);
        await apply(store, change);
        expect(await store.sessions.find(other.hash)).toBeUndefined();
        expect((await store.sessions.find(kept.hash)) !== undefined).toBe(change.change !== "resetFactors");
      }
    });

    test("a code begins the session of the sign-in that waits for it, once", async () => {
      const { name, key, recovery, begin } = await addTotp();
      const begun = await begin();
      expect(await store.factors.begun(begun, NOW + 999)).toMatchObject({ user: { name }, method: "link" });
      expect(await store.factors.begun(begun, NOW + 1000)).toBeUndefined();
      const start = newSession("");
      const spend = (code: Parameters<typeof store.factors.spendCode>[1], from = begun, session = start) =>
        store.factors.spendCode(from, code, session, LIMITS);
      expect(await spend({ key, step: 5 })).toBe("wrong");
      expect(await spend({ key: random(20), step: 6 })).toBe("wrong");
      expect(await spend({ recovery: hash() })).toBe("wrong");
      expect(await spend(null)).toBe("wrong");
      expect(await spend({ key, step: 6 })).toMatchObject({ name });
      expect(await store.sessions.find(start.hash)).toMatchObject({
        session: { user: name, method: "link" },
      });
      expect(await spend({ key, step: 7 })).toBe("ended");
      expect(await spend({ key, step: 6 }, await begin(), newSession(""))).toBe("wrong");
      expect(await spend({ recovery: recovery[0]! }, await begin(), newSession(""))).toMatchObject({ name });
      expect(await spend({ recovery: recovery[0]! }, await begin(), newSession(""))).toBe("wrong");
      const late = newSession("", { createdAt: NOW + 1000 });
      expect(await spend({ recovery: recovery[1]! }, await begin(), late)).toBe("ended");
    });

    test("a code that comes several times at once counts once, and wrong ones end the sign-in", async () => {
      const { key, recovery, begin } = await addTotp();
      for (const code of [{ key, step: 6 }, { recovery: recovery[0]! }]) {
        const begun = [await begin(), await begin(), await begin()];
        const done = await Promise.all(
          begun.map((each) => store.factors.spendCode(each, code, newSession(""), LIMITS)),
        );
        expect(done.filter((each) => each === "wrong")).toHaveLength(2);
      }
      const begun = await begin();
      const wrong = await Promise.all(
        Array.from({ length: 7 }, () => store.factors.spendCode(begun, null, newSession(""), LIMITS)),
      );
      expect(wrong.filter((each) => each === "wrong")).toHaveLength(4);
    });

    test("wrong codes of a user in a row make the next one wait, over several sign-ins", async () => {
      const [{ key, begin }, other] = [await addTotp(), await addTotp()];
      const limits = { most: 5, failures: 3, waitSeconds: 10 };
      const spend = async (code: { key: Uint8Array; step: number } | null, at = NOW, from = begin) =>
        store.factors.spendCode(await from(NOW + 60_000), code, newSession("", { createdAt: at }), limits);
      for (let count = 0; count < 3; count += 1) expect(await spend(null)).toBe("wrong");
      expect(await spend({ key, step: 6 }, NOW + 1)).toEqual({ wait: 9999 });
      expect(await spend(null, NOW, other.begin)).toBe("wrong");
      expect(await spend(null, NOW + 10_000)).toBe("wrong");
      expect(await spend({ key, step: 6 }, NOW + 10_000)).toEqual({ wait: 10_000 });
      expect(await spend({ key, step: 6 }, NOW + 20_000)).toHaveProperty("name");
      for (let count = 0; count < 3; count += 1) expect(await spend(null, NOW + 20_000)).toBe("wrong");
    });

    test("a passkey is used with a challenge that was not spent, and a counter that grows or stays 0", async () => {
      const name = await addUser();
      const other = newPasskey();
      const [counting, plain] = [newPasskey({ counter: 3 }), newPasskey()];
      for (const passkey of [counting, plain])
        await apply(store, { change: "insertPasskey", name, passkey, challenge: challenge(), keep: null });
      expect(await store.factors.passkey(counting.credential)).toMatchObject({
        user: { name },
        passkey: { id: counting.id, publicKey: new Uint8Array(counting.publicKey) },
      });
      expect(await store.factors.passkey(other.credential)).toBeUndefined();
      const use = (id: string, counter: number, spent = challenge(), of = name) =>
        store.factors.usePasskey({ id, counter, challenge: spent }, newSession(of, { createdAt: NOW + 5 }));
      const spent = challenge();
      expect(await use(counting.id, 4, spent)).toMatchObject({ name });
      expect(await use(counting.id, 5, spent)).toBeUndefined();
      for (const counter of [4, 3, 0]) expect(await use(counting.id, counter)).toBeUndefined();
      for (let count = 0; count < 2; count += 1) expect(await use(plain.id, 0)).toMatchObject({ name });
      expect(await use(plain.id, 1)).toMatchObject({ name });
      expect(await use(plain.id, 0)).toBeUndefined();
      expect(await use(other.id, 1)).toBeUndefined();
      expect(await use(plain.id, 2, challenge(), await addUser())).toBeUndefined();
      expect(await use(plain.id, 2, challenge(), "nobody")).toBeUndefined();
      expect((await store.factors.passkeys(name)).map(({ counter, usedAt }) => [counter, usedAt])).toEqual([
        counting.id < plain.id ? [4, NOW + 5] : [1, NOW + 5],
        counting.id < plain.id ? [1, NOW + 5] : [4, NOW + 5],
      ]);
      const twice = challenge();
      const both = await Promise.all([use(plain.id, 8, twice), use(plain.id, 9, twice)]);
      expect(both.filter((each) => each !== undefined)).toHaveLength(1);
    });

    test("a code and a passkey count once for an act too, wrong codes together with those of sign-ins", async () => {
      const { name, key, recovery, begin } = await addTotp();
      const patience = { failures: 3, waitSeconds: 10 };
      const present = (code: Parameters<typeof store.factors.tryCode>[1], at = NOW, of = name) =>
        store.factors.tryCode(of, code, at, patience);
      expect(await present({ key, step: 5 })).toBe("wrong");
      expect(await present({ key, step: 6 }, NOW, "nobody")).toBe("wrong");
      expect(await present({ key, step: 6 })).toBe("spent");
      const codes = Array.from({ length: 2 }, () => present({ recovery: recovery[0]! }));
      expect(new Set(await Promise.all(codes))).toEqual(new Set(["spent", "wrong"]));
      expect(await present({ key, step: 7 })).toBe("spent");
      const limits = { most: 5, ...patience };
      expect(await store.factors.spendCode(await begin(), null, newSession(""), limits)).toBe("wrong");
      for (let count = 0; count < 2; count += 1) expect(await present(null)).toBe("wrong");
      expect(await present({ key, step: 8 }, NOW + 1)).toEqual({ wait: 9999 });
      const passkey = newPasskey({ counter: 3 });
      await apply(store, { change: "insertPasskey", name, passkey, challenge: challenge(), keep: null });
      const use = (counter: number, spent = challenge(), of = name) =>
        store.factors.presentPasskey({ id: passkey.id, counter, challenge: spent }, of, NOW + 5);
      const spent = challenge();
      expect(await use(4, spent)).toBe(true);
      expect(await use(5, spent)).toBe(false);
      expect(await use(4)).toBe(false);
      expect(await use(6, challenge(), await addUser())).toBe(false);
      expect(await use(6, challenge(), "nobody")).toBe(false);
      expect(await store.factors.passkeys(name)).toMatchObject([{ counter: 4, usedAt: NOW + 5 }]);
    });

    test("a passkey is stored once, of one user, with a challenge that was not spent", async () => {
      const [name, spent, passkey] = [await addUser(), challenge(), newPasskey()];
      const add = (more: object, of = name, by = challenge()) =>
        apply(store, {
          change: "insertPasskey",
          name: of,
          passkey: { ...passkey, ...more },
          challenge: by,
          keep: null,
        });
      await add({}, name, spent);
      expect(await reasonOf(add(newPasskey(), name, spent))).toEndWith(" challenge-spent");
      expect(await reasonOf(add({ id: newPasskey().id }, await addUser()))).toEndWith(" passkey-known");
      expect(await store.factors.passkeys(name)).toHaveLength(1);
    });

    test("are in a copy, which has nothing that has begun", async () => {
      const [from, into] = [fresh("database"), fresh("database")];
      const source = await open(from);
      await apply(
        source,
        { change: "insertUser", user: userCalled("ann") },
        { change: "setTotp", name: "ann", key: random(20), step: 1, recovery: [hash()], at: NOW, keep: null },
        { change: "insertPasskey", name: "ann", passkey: newPasskey(), challenge: challenge(), keep: null },
      );
      const begun = newBegun();
      const link = { user: "ann", hash: hash(), expiresAt: NOW + 1000 };
      await source.sessions.insertLink(link, ANN);
      expect(await source.sessions.spendLink(link.hash, NOW, newSession(""), begun)).toMatchObject({
        isBegun: true,
      });
      await driver.copy(from, into, () => {});
      const copy = await open(into);
      expect((await copy.users.find("ann"))!.secondFactors).toEqual(["totp", "passkey"]);
      expect(await copy.factors.totp("ann")).toMatchObject({ recoveryCodes: 1 });
      expect(await copy.factors.begun(begun.hash, NOW)).toBeUndefined();
    });
  });
}
