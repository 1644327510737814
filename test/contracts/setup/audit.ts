import { describe, expect, test } from "bun:test";
import type { Author } from "../../../src/access/caller.ts";
import { viewAuditEntry } from "../../../src/access/audit/entry.ts";
import { createChainCheck } from "../../../src/access/audit/verify.ts";
import type { Store } from "../../../src/app.ts";
import { addForm, applyBy, deleteFormChange } from "../../support/records/apply.ts";
import { NOW, newSession, submissionTo, userCalled } from "../../support/records/records.ts";
import { type Driver, opener } from "../driver.ts";

const BOB: Author = { who: "bob", at: NOW, type: "user", address: "192.0.2.7" };
const ALL = { projects: null, limit: 100 } as const;

/** What the product relies on for the audit log in every driver. */
export function auditContract(driver: Driver): void {
  describe(`the audit log, kept by ${driver.name},`, async () => {
    const open = opener(driver);
    const entriesOf = async (store: Store) => (await store.audit.after({ ...ALL, after: 0 })).items;
    const faultIn = async (store: Store) => {
      const check = createChainCheck();
      for (const entry of await entriesOf(store)) {
        const fault = check.add(JSON.stringify(viewAuditEntry(entry)));
        if (fault !== null) return fault;
      }
      return null;
    };

    test("has an entry for each change, in its transaction", async () => {
      const store = await open();
      await applyBy(BOB, store, { change: "insertUser", user: userCalled("ann") });
      const { version } = await store.readVersion();
      await store.apply([{ change: "deleteUser", name: "ann" }], version - 1, BOB).catch(() => {});
      await applyBy(BOB, store, { change: "deleteUser", name: "ann" });
      expect(await entriesOf(store)).toMatchObject([
        {
          id: 1,
          at: NOW,
          who: "bob",
          type: "user",
          address: "192.0.2.7",
          action: "user.create",
          project: null,
          object: "ann",
          details: { role: "viewer" },
        },
        { id: 2, action: "user.delete", object: "ann", details: {} },
      ]);
      expect(await faultIn(store)).toBeNull();
    });

    test("has sessions, links and removals of submissions, with how many", async () => {
      const store = await open();
      const form = await addForm(store, "contact");
      await applyBy(BOB, store, { change: "insertUser", user: userCalled("ann") });
      const session = newSession("ann");
      await store.sessions.insert(session, null);
      await store.sessions.insertLink({ user: "ann", hash: newSession("").hash, expiresAt: NOW + 1 }, BOB);
      await store.sessions.deleteByHash(session.hash, { at: NOW, address: "192.0.2.8" });
      const [one, two] = [submissionTo(form.key), submissionTo(form.key)];
      for (const each of [one, two]) await store.submissions.insert(each);
      await store.submissions.delete([one.id], undefined, BOB);
      await store.submissions.delete([one.id], undefined, BOB);
      await store.submissions.delete([two.id]);
      const entries = await entriesOf(store);
      expect(entries.map(({ action }) => action)).toEqual([
        "form.create",
        "user.create",
        "session.start",
        "user.link",
        "session.end",
        "submissions.delete",
      ]);
      expect(entries[4]).toMatchObject({ who: "ann", object: session.session.id, address: "192.0.2.8" });
      expect(entries[5]).toMatchObject({ who: "bob", object: "contact", details: { count: 1 } });
      expect(await faultIn(store)).toBeNull();
    });

    test("names no form that was deleted before its submissions are purged", async () => {
      const store = await open();
      const form = await addForm(store, "contact");
      const { id } = submissionTo(form.key);
      await store.submissions.insert(submissionTo(form.key, { id }));
      const { place } = (await store.submissions.scanAll(0, 1)).items[0]!;
      await applyBy(BOB, store, deleteFormChange(form));
      expect(await store.submissions.purge([{ place, id }], [], BOB)).toEqual([id]);
      const entry = { action: "submissions.purge", project: null, object: null, details: { count: 1 } };
      expect((await entriesOf(store)).at(-1)).toMatchObject(entry);
    });

    test("is one chain, whoever writes to it at once", async () => {
      const store = await open();
      const other = driver.name === "PostgreSQL" ? store : await open();
      const event = { action: "backup.create", project: null, object: null, details: {} } as const;
      const entry = { ...event, at: NOW, who: "ann", type: "token", address: null } as const;
      await applyBy(BOB, store, { change: "insertUser", user: userCalled("ann") });
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          if (index % 3 === 0) return store.sessions.insert(newSession("ann"), null);
          return (index % 2 === 0 ? store : other).audit.append([entry]);
        }),
      );
      const ids = (await entriesOf(store)).map(({ id }) => id);
      expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => index + 1));
      expect(await faultIn(store)).toBeNull();
    });

    test("is read by project, action, author and time, page by page", async () => {
      const store = await open();
      const entry = (
        at: number,
        who: string,
        action: "token.create" | "token.revoke",
        project: string | null,
      ) =>
        ({
          at,
          who,
          type: "user",
          action,
          project,
          object: "x\ud800",
          details: { n: [1] },
          address: null,
        }) as const;
      await store.audit.append([
        entry(1, "ann", "token.create", "shop"),
        entry(2, "bob", "token.revoke", "shop"),
        entry(3, "ann", "token.revoke", null),
        entry(4, "ann", "token.create", "blog"),
      ]);
      const times = async (filter: object) =>
        (await store.audit.page({ ...ALL, ...filter })).items.map(({ at }) => at);
      expect(await times({})).toEqual([4, 3, 2, 1]);
      expect(await times({ projects: ["shop", "other"] })).toEqual([2, 1]);
      expect(await times({ projects: [] })).toEqual([]);
      expect(await times({ projects: ["\0", "shop\0"] })).toEqual([]);
      expect(await times({ action: "token.create" })).toEqual([4, 1]);
      expect(await times({ action: "token" })).toEqual([4, 3, 2, 1]);
      expect(await times({ action: "tok" })).toEqual([]);
      expect(await times({ who: "ann", since: 2, until: 4 })).toEqual([3]);
      const counts = async (filter: object) =>
        Object.fromEntries(await store.audit.counts({ ...ALL, ...filter }));
      expect(await counts({})).toEqual({ "token.create": 2, "token.revoke": 2 });
      expect(await counts({ who: "ann", projects: ["shop"] })).toEqual({ "token.create": 1 });
      expect(await store.audit.page({ ...ALL, limit: 2, before: 4 })).toMatchObject({
        items: [{ id: 3 }, { id: 2, object: "x\ufffd", details: { n: [1] } }],
        more: true,
      });
      expect(await faultIn(store)).toBeNull();
    });

    test("forgets what is old, but for the newest of it, from which the chain goes on", async () => {
      const store = await open();
      const event = { action: "backup.create", project: null, object: null, details: {} } as const;
      const entries = [1, 2, 3, 10, 11].map(
        (at) => ({ ...event, at, who: "ann", type: "token", address: null }) as const,
      );
      await store.audit.append(entries);
      expect(await store.audit.prune(10, 1)).toBe(true);
      while (await store.audit.prune(10, 1));
      expect((await entriesOf(store)).map(({ at }) => at)).toEqual([3, 10, 11]);
      while (await store.audit.prune(100, 10));
      await store.audit.append(entries.slice(0, 1));
      expect((await entriesOf(store)).map(({ id }) => id)).toEqual([5, 6]);
      expect(await store.audit.newest()).toBe(6);
      expect(await faultIn(store)).toBeNull();
    });
  });
}
