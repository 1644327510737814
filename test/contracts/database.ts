import { describe, expect, test } from "bun:test";
import type { Distribution } from "../../src/base/metrics.ts";
import { addForm, addProject, apply } from "../support/records/apply.ts";
import { fileKept, nextId, submissionTo, tokenCalled } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";
import { type Driver, fresh, opener, insertNoted } from "./driver.ts";

/** What the product relies on for a database as a whole in every driver. */
export function databaseContract(driver: Driver): void {
  describe(`two stores of ${driver.name} on one database`, async () => {
    const open = opener(driver);

    test("see each other's changes at once", async () => {
      const database = fresh("database");
      const [near, far] = [await open(database), await open(database)];
      const { key } = await addForm(near, "form");
      expect(await far.forms.findByKey(key)).toMatchObject({ slug: "form" });
      const submission = submissionTo(key);
      await far.submissions.insert(submission);
      expect(await near.submissions.find(submission.id)).toBeDefined();
      await near.submissions.delete([submission.id]);
      expect(await far.submissions.count(key)).toBe(0);
    });

    test("lose nothing when both write at the same time", async () => {
      const database = fresh("database");
      const stores = [await open(database), await open(database)];
      const { key } = await addForm(stores[0]!, "form");
      await Promise.all(
        Array.from({ length: 100 }, (_, index) => stores[index % 2]!.submissions.insert(submissionTo(key))),
      );
      for (const each of stores) expect(await each.submissions.count(key)).toBe(100);
    });
  });

  describe(`a copy of a database of ${driver.name}`, async () => {
    const open = opener(driver);
    const own = fresh("database");
    const store = await open(own);

    test("is the same database, and can be opened as one", async () => {
      const { slug, set } = await addProject(store, fresh(), "a", "b");
      await set("a", "f", { enabled: true, payload: '{"deep":[1,null,"ä"]}' });
      const { key } = await addForm(store, fresh());
      const sent = submissionTo(key, { data: '{"a":"ä ✓ \\u0000"}', files: [fileKept(`${nextId()}.1`)] });
      await insertNoted(store, sent);
      await apply(store, { change: "insertToken", token: tokenCalled("copied"), hash: "hash" });
      const database = fresh("database");
      await driver.copy(own, database, () => {});
      const copy = await open(database);
      expect(await copy.check()).toEqual([]);
      expect(await copy.projects.list()).toEqual(await store.projects.list());
      expect(await copy.flags.list(slug, "a")).toEqual(await store.flags.list(slug, "a"));
      expect(await copy.forms.list()).toEqual(await store.forms.list());
      expect(await copy.submissions.find(sent.id)).toMatchObject({
        id: sent.id,
        data: { a: "ä ✓ \u0000" },
      });
      expect(await copy.submissions.files("", 1000)).toEqual(await store.submissions.files("", 1000));
      expect(await copy.tokens.list()).toEqual(await store.tokens.list());
      expect((await copy.readVersion()).version).toBe((await store.readVersion()).version);
      await addForm(copy, "written-later");
      expect((await store.forms.named("written-later"))[0]).toBeUndefined();
    });

    test("shows one moment, while writing goes on", async () => {
      const [first, second] = [await addForm(store, fresh()), await addForm(store, fresh())];
      const data = JSON.stringify({ text: "x".repeat(200_000) });
      for (let count = 0; count < 20; count += 1) {
        for (const { key } of [first, second]) await store.submissions.insert(submissionTo(key, { data }));
      }
      let written = 20;
      let steps = 0;
      const database = fresh("database");
      const writing: Promise<unknown>[] = [];
      await driver.copy(own, database, (done, total) => {
        steps += 1;
        expect(done).toBeLessThanOrEqual(total);
        for (const { key } of [first, second]) writing.push(store.submissions.insert(submissionTo(key)));
        written += 1;
      });
      await Promise.all(writing);
      const copy = await open(database);
      const counts = await Promise.all([first, second].map(({ key }) => copy.submissions.count(key)));
      expect({ steps: steps > 1, counts }).toEqual({ steps: true, counts: [20, 20] });
      expect(await store.submissions.count(first.key)).toBe(written);
    });
  });

  describe(`a store of ${driver.name}`, async () => {
    const open = opener(driver);
    const store = await open();

    test("finds nothing wrong with itself", async () => {
      expect(await store.check()).toEqual([]);
    });

    test("answers a ping while it is open", async () => {
      await store.ping();
    });

    test("is unavailable to a ping once it is closed", async () => {
      const store = await driver.open(fresh("database"));
      await store.close();
      expect(await codeOf(store.ping())).toBe("unavailable");
      expect(await codeOf(store.ready())).toBe("unavailable");
    });

    test("is ready for a write, which changes nothing", async () => {
      const version = (await store.readVersion()).version;
      await store.ready();
      expect((await store.readVersion()).version).toBe(version);
    });

    test("counts its commits, and the writes in each", async () => {
      const store = await open();
      const total = ({ counts }: Distribution) => counts.reduce((sum, count) => sum + count, 0);
      const { key } = await addForm(store, "form");
      await Promise.all(Array.from({ length: 20 }, () => store.submissions.insert(submissionTo(key))));
      const { queued, queuedBytes, commitSeconds, commitWrites, bytes } = await store.stats();
      expect({ queued, queuedBytes, writes: commitWrites.sum }).toEqual({
        queued: 0,
        queuedBytes: 0,
        writes: 21,
      });
      expect(total(commitSeconds)).toBe(total(commitWrites));
      expect(commitSeconds.sum).toBeGreaterThan(0);
      expect(bytes).toBeGreaterThan(0);
    });

    test("finishes what is queued before it closes", async () => {
      const database = fresh("database");
      const store = await driver.open(database);
      const { key } = await addForm(store, "form");
      const writes = Array.from({ length: 50 }, () => store.submissions.insert(submissionTo(key)));
      const [, ...stored] = await Promise.all([store.close(), ...writes]);
      expect(stored).toHaveLength(50);
      expect(await (await open(database)).submissions.count(key)).toBe(50);
    });

    test("keeps everything for the next one", async () => {
      const database = fresh("database");
      const store = await driver.open(database);
      const { key } = await addProject(store, "p");
      await store.close();
      expect(await (await open(database)).projects.find("p")).toMatchObject({ key });
    });

    test("refuses a write that comes after it was closed, rather than let it wait for ever", async () => {
      const store = await driver.open(fresh("database"));
      await store.close();
      const write = store.apply([{ change: "deleteToken", name: "t" }], 0, { who: "ann", at: 0 });
      expect(await write.catch(() => "refused")).toBe("refused");
    });

    test("may be closed twice", async () => {
      const store = await driver.open(fresh("database"));
      await store.close();
      await store.close();
    });
  });
}
