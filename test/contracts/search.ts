import { beforeEach, describe, expect, test } from "bun:test";
import { phrasesIn, termsOf, termsOfAddress } from "../../src/forms/inbox/search-text.ts";
import type { Scan } from "../../src/forms/inbox/scan.ts";
import type { SubmissionStore } from "../../src/forms/store.ts";
import type { SubmissionState } from "../../src/forms/submission-state.ts";
import { addForm, apply } from "../support/records/apply.ts";
import { NOW, fileKept, nextId, submissionTo } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";
import { type Driver, fresh, opener, insertNoted } from "./driver.ts";

const EVERYTHING: Scan = {
  upTo: null,
  states: ["inbox", "spam", "archived"],
  unread: false,
  since: null,
  until: null,
  terms: null,
  before: null,
  limit: 100,
  bytes: 500_000,
};

const BY = { who: "ann", at: NOW };

/** What the product relies on for scans, marks and the search index in every driver. */
export function searchContract(driver: Driver): void {
  describe(`submissions, searched in ${driver.name},`, async () => {
    const open = opener(driver);
    let store = await open();
    let key = "";
    beforeEach(async () => {
      store = await open();
      ({ key } = await addForm(store, fresh()));
    });

    const add = async (data: object, more: Parameters<typeof submissionTo>[1] = {}) => {
      const submission = submissionTo(key, { data: JSON.stringify(data), ...more });
      await insertNoted(store, submission);
      return submission.id;
    };
    const indexAll = async ({ submissions }: { submissions: SubmissionStore } = store) => {
      while (await submissions.updateIndex());
    };
    const scan = async (scan: Partial<Scan> = {}, form = key) => {
      const { submissions, next } = await store.submissions.scan(form, { ...EVERYTHING, ...scan });
      return { ids: submissions.map(({ id }) => id), next };
    };
    const find = async (query: string, more: Partial<Scan> = {}, form = key) => {
      return (await scan({ ...more, terms: termsOf(phrasesIn(query)) }, form)).ids;
    };

    test("are in the index with ids of which more begin alike than there can be later ones", async () => {
      for (let at = 0; at < 10; at += 1)
        await add({ at, name: "Zoe" }, { id: `ffffffff-ffff-ffff-8000-00000000000${at}` });
      await indexAll();
      expect(await find("zoe")).toHaveLength(10);
    });

    test("are in the index a bounded part at a time, and leave it so", async () => {
      const { submissions } = store;
      const text = (field: number) => `a\u00ad\u0301${"é \u200b".repeat(40_000)} last${field}`;
      const id = await add(
        Object.fromEntries(Array.from({ length: 12 }, (_, field) => [field, text(field)])),
      );
      const other = await add({ name: "other" });
      let writes = 1;
      while (await submissions.updateIndex()) writes += 1;
      expect(writes).toBeGreaterThan(5);
      expect(await find("last11")).toEqual([id]);
      expect(await find("other")).toEqual([other]);
      await submissions.delete([id]);
      await indexAll();
      expect(await submissions.indexBacklog()).toEqual({ missing: 0, removals: false });
      expect(await find("last11")).toEqual([]);
      expect(await find("other")).toEqual([other]);
    });

    test("are found by an address that is a whole text, without a look at others with its words", async () => {
      const ids = [
        await add({ to: ["x", { mail: " Ann@Example.com" }] }),
        await add({ mail: "ann@example.com" }),
      ];
      for (const text of ["ann", "example.com", "ann@example.com, bob@example.com", "mail ann@example.com"])
        await add({ ann: "ann example com", text });
      await indexAll();
      const terms = termsOfAddress("ANN@example.com");
      expect(await scan({ terms, limit: 3 })).toEqual({ ids: ids.toReversed(), next: null });
      expect(await scan({ terms: termsOfAddress("bob@example.com") })).toEqual({ ids: [], next: null });
      await store.submissions.delete([ids[0]!]);
      await indexAll();
      expect(await scan({ terms })).toEqual({ ids: [ids[1]!], next: null });
    });

    test("are scanned newest first in steps, which count what they leave out", async () => {
      const ids: string[] = [];
      for (let at = 0; at < 5; at += 1) ids.unshift(await add({ at }, { createdAt: NOW + at }));
      await store.submissions.mark([ids[0]!, ids[3]!], "read", {}, BY);
      expect(await scan({ unread: true, limit: 2 })).toEqual({ ids: [ids[1]!], next: ids[1]! });
      expect(await scan({ unread: true, limit: 9, before: ids[1]! })).toEqual({
        ids: [ids[2]!, ids[4]!],
        next: null,
      });
      const inTime = await scan({ since: NOW + 1, until: NOW + 3 });
      expect(inTime.ids).toEqual([ids[2]!, ids[3]!]);
      expect(await codeOf(store.submissions.scan("nobody", EVERYTHING))).toBe("not_found");
    });

    test("are found by numbers as they were sent, and as JavaScript writes them", async () => {
      const submission = submissionTo(key, { data: '{"n":12345678901234567890,"p":[1.10,1e400]}' });
      await insertNoted(store, submission);
      await indexAll();
      for (const query of ["12345678901234567890", "1.10", "1.1", "1e400", "12345678901234567000"])
        expect([query, await find(query)]).toEqual([query, [submission.id]]);
      expect(await find("12345678901234567891")).toEqual([]);
    });

    test("are scanned with the data as it was sent, in steps of the given size", async () => {
      const data = '{ "n": 12345678901234567890, "p": 1.50 }';
      const files = [fileKept(fresh("key"))];
      const submission = submissionTo(key, { data, files });
      await insertNoted(store, submission);
      const found = await store.submissions.find(submission.id);
      const { submissions } = await store.submissions.scan(key, EVERYTHING);
      expect(submissions).toEqual([{ ...found!, data }]);
      const large = await add({ text: "x".repeat(2000) });
      expect(await scan({ bytes: 1000 })).toEqual({ ids: [large], next: large });
    });

    test("are found by their words once they are in the index, each form's alone", async () => {
      const other = await addForm(store, fresh());
      const first = await add({ name: "Müller", n: 42 }, { files: [fileKept(nextId(), "Zeugnis.pdf")] });
      const second = await add({ text: "東京都 and Muller's" });
      await store.submissions.insert(submissionTo(other.key, { data: '{"name":"Müller"}' }));
      expect(await store.submissions.indexBacklog()).toEqual({ missing: 3, removals: false });
      expect(await find("muller")).toEqual([]);
      await indexAll();
      expect(await store.submissions.indexBacklog()).toEqual({ missing: 0, removals: false });
      expect(await find("muller")).toEqual([second, first]);
      expect(await find("MÜL")).toEqual([second, first]);
      expect(await find("42 müll")).toEqual([first]);
      expect(await find("zeugn")).toEqual([first]);
      expect(await find("京都")).toEqual([second]);
      expect(await find("muller nothing")).toEqual([]);
      expect(await find("muller", {}, other.key)).toHaveLength(1);
      expect(await find("muller", { limit: 1, before: second })).toEqual([first]);
      expect(await find("muller", { states: ["spam"] })).toEqual([]);
      expect(await store.check()).toEqual([]);
    });

    test("are found in the order of their ids, whenever they were stored", async () => {
      const known = Array.from({ length: 600 }, () => nextId());
      const shuffled = known.toSorted(() => Math.random() - 0.5);
      for (const id of shuffled) await add({ text: "word" }, { id });
      // Ids of another source that begin alike, and one of another version.
      const foreign = ["1", "2", "3"].map((end) => `00000000-0000-4000-8000-00000000000${end}`);
      for (const id of foreign) await add({ text: "word" }, { id });
      await indexAll();
      const expected = [...known.toReversed(), ...foreign.toReversed()];
      expect(await find("word", { limit: 1000 })).toEqual(expected);
      const paged: string[] = [];
      for (let before: string | null = null; ; before = paged.at(-1)!) {
        const page = await find("word", { limit: 100, before });
        paged.push(...page);
        if (page.length === 0) break;
      }
      expect(paged).toEqual(expected);
    });

    test("may be too many for the completions of a word, which are then left to the reader", async () => {
      const ids: string[] = [];
      for (let at = 0; at < 120; at += 1)
        ids.push(await add({ text: `all word${at} ${at % 2 === 0 ? "even" : "odd"}` }));
      await indexAll();
      for (let time = 0; time < 2; time += 1) {
        expect(await find("word")).toHaveLength(100);
        expect(await find("word7")).toHaveLength(11);
        expect(await find("even wor")).toHaveLength(60);
        expect(await find("all even")).toHaveLength(60);
      }
      await store.submissions.delete(ids.slice(0, 110));
      const last = await add({ text: "all words" });
      await indexAll();
      expect(await find("word")).toEqual([last, ...ids.slice(110).toReversed()]);
      expect(await find("all words")).toEqual([last]);
      expect(await find("all even")).toHaveLength(5);
    });

    test("with a rare word are found among many with a frequent one, newest first in steps", async () => {
      const rare: string[] = [];
      for (let at = 0; at < 150; at += 1) {
        const id = await add({ text: at % 30 === 0 ? "often seldom" : "often" });
        if (at % 30 === 0) rare.unshift(id);
      }
      const other = await addForm(store, fresh());
      await store.submissions.insert(submissionTo(other.key, { data: '{"a":"often seldom"}' }));
      await indexAll();
      for (const query of ["often seldom", "seldom often", "seldom oft"])
        expect([query, await find(query)]).toEqual([query, rare]);
      expect(await find("seldom nothing")).toEqual([]);
      const terms = termsOf(phrasesIn("seldom often"));
      const first = await scan({ terms, limit: 2 });
      expect(first).toEqual({ ids: rare.slice(0, 2), next: rare[1]! });
      expect((await scan({ terms, before: first.next })).ids).toEqual(rare.slice(2));
      await store.submissions.delete([rare[0]!]);
      expect(await find("seldom often")).toEqual(rare.slice(1));
      await indexAll();
      expect(await find("seldom often")).toEqual(rare.slice(1));
    });

    test("leave the index when they are deleted, also where their id comes back", async () => {
      const id = await add({ text: "word gone" });
      const kept = await add({ text: "word kept" });
      await indexAll();
      await store.submissions.delete([id]);
      expect(await find("word")).toEqual([kept]);
      expect(await store.submissions.indexBacklog()).toMatchObject({ missing: 0 });
      await add({ text: "word back" }, { id });
      await store.submissions.delete([kept]);
      await indexAll();
      expect(await find("word")).toEqual([id]);
      expect(await find("gone")).toEqual([]);
      await store.submissions.delete([id]);
      await indexAll();
      // The newest was deleted: the next one is missing again.
      const next = await add({ text: "word next" });
      expect((await store.submissions.indexBacklog()).missing).toBe(1);
      await indexAll();
      expect(await find("word")).toEqual([next]);
      expect(await store.check()).toEqual([]);
    });

    test("of a deleted form leave the index too", async () => {
      const { slug, key: other } = await addForm(store, fresh());
      await store.submissions.insert(submissionTo(other, { data: '{"a":"word"}' }));
      await indexAll();
      await apply(store, { change: "deleteForm", project: "default", slug, key: other, onlyEmpty: false });
      await store.submissions.clearDeleted(10);
      await indexAll();
      expect(await store.submissions.indexBacklog()).toEqual({ missing: 0, removals: false });
      expect(await store.check()).toEqual([]);
    });

    test("are indexed again in a copy, and go on where a process ended", async () => {
      const database = fresh("database");
      store = await open(database);
      ({ key } = await addForm(store, fresh()));
      const first = await add({ text: "word" });
      await indexAll();
      const second = await add({ text: "word" });
      const copied = fresh("database");
      await driver.copy(database, copied, () => {});
      await store.close();
      store = await open(database);
      expect((await store.submissions.indexBacklog()).missing).toBe(1);
      await indexAll();
      expect(await find("word")).toEqual([second, first]);
      store = await open(copied);
      expect(await find("word")).toEqual([]);
      expect((await store.submissions.indexBacklog()).missing).toBe(2);
      await indexAll();
      expect(await find("word")).toEqual([second, first]);
      await store.submissions.delete([first]);
      expect(await store.check()).toEqual([]);
    });

    test("are searched for a query of the index as for any other text", async () => {
      for (const query of ['"', "a*", "NEAR(a b)", "a OR -b", "a\0b", "terms:a", "^a", "{a}", "'; --"]) {
        ({ key } = await addForm(store, fresh()));
        const id = await add({ text: query });
        await indexAll();
        expect([query, await find(query)]).toEqual([query, [id]]);
      }
    });

    test("are found by a domain in either of its spellings", async () => {
      const ids = [await add({ to: "ann@Bücher.example" }), await add({ to: "ANN@XN--BCHER-KVA.example" })];
      await indexAll();
      for (const query of ["ann@bücher.example", "ann@xn--bcher-kva.example", "bücher"])
        expect([query, (await find(query)).toSorted()]).toEqual([query, ids.toSorted()]);
    });

    test("are found by letters without the strokes that they have", async () => {
      const id = await add({ city: "Łódź", name: "Søren" });
      await indexAll();
      for (const query of ["lodz", "ŁÓDŹ", "soren", "søren"])
        expect([query, await find(query)]).toEqual([query, [id]]);
    });

    test("with a letter that may be none for the index are found or not, which is no error", async () => {
      const id = await add({ text: "ᦱa" });
      await indexAll();
      expect([[], [id]]).toContainEqual(await find("ᦱa"));
    });

    test("are marked all or none, and those that change are returned", async () => {
      const [first, second] = [await add({ a: 1 }), await add({ a: 2 })];
      const mark: SubmissionStore["mark"] = (...args) => store.submissions.mark(...args);
      expect(await codeOf(mark([first, nextId()], "spam", {}, BY))).toBe("not_found");
      expect(await store.submissions.find(first)).toMatchObject({ state: "inbox", spam: null, read: false });
      expect(await store.submissions.marks(first)).toEqual([]);
      expect(await mark([first, second, first], "spam", {}, BY)).toEqual([first, second]);
      expect(await mark([first, second], "read", {}, BY)).toEqual([first, second]);
      expect(await mark([second], "unread", {}, BY)).toEqual([second]);
      expect(await store.submissions.find(first)).toMatchObject({
        state: "spam",
        spam: "manual",
        read: true,
      });
      expect(await store.submissions.find(second)).toMatchObject({ state: "spam", read: false });
      expect(await mark([first, second], "spam", {}, BY)).toEqual([]);
      expect(await mark([first], "archived", {}, BY)).toEqual([first]);
      expect(await store.submissions.find(first)).toMatchObject({ state: "archived", spam: null });
      expect(await store.submissions.count(key, ["spam"])).toBe(1);
    });

    test("keep who marked them and when, the newest 100 of each, until they are deleted", async () => {
      const [id, other] = [await add({ a: 1 }), await add({ a: 2 })];
      const by = (who: string, at: number) => ({ who, at });
      await store.submissions.mark([id, other], "spam", {}, by("ann", 1));
      await store.submissions.mark([id], "inbox", {}, by("ben", 2));
      await store.submissions.mark([id], "inbox", {}, by("eve", 3));
      expect(await store.submissions.marks(id)).toEqual([
        { mark: "spam", spam: null, who: "ann", at: 1 },
        { mark: "inbox", spam: "manual", who: "ben", at: 2 },
      ]);
      for (let at = 3; at < 110; at += 1)
        await store.submissions.mark([id], at % 2 === 0 ? "unread" : "read", {}, by("ann", at));
      const marks = await store.submissions.marks(id);
      expect([marks.length, marks[0]!.at, marks.at(-1)!.at]).toEqual([100, 10, 109]);
      expect(await store.submissions.marks(other)).toHaveLength(1);
      await store.submissions.delete([id]);
      expect(await store.submissions.marks(id)).toEqual([]);
    });

    test("come beside one, nearest first, in the folders that are asked for", async () => {
      const ids = [await add({ a: 1 }), await add({ a: 2 }), await add({ a: 3 }), await add({ a: 4 })];
      await store.submissions.mark([ids[2]!], "archived", {}, BY);
      const beside = async (...args: [string, "newer" | "older", SubmissionState[], number]) =>
        (await store.submissions.beside(key, ...args)).map((each) => each.id);
      expect(await beside(ids[0]!, "newer", ["inbox", "archived"], 2)).toEqual([ids[1]!, ids[2]!]);
      expect(await beside(ids[1]!, "newer", ["inbox"], 9)).toEqual([ids[3]!]);
      expect(await beside(ids[3]!, "older", ["inbox"], 1)).toEqual([ids[1]!]);
      expect(await beside(ids[0]!, "older", ["inbox"], 1)).toEqual([]);
    });

    test("have a newest one in each form, in steps through the forms", async () => {
      const [first, second] = [await add({ a: 1 }), await add({ a: 2 })];
      const other = await addForm(store, fresh());
      const own = submissionTo(other.key);
      await store.submissions.insert(own);
      const newest = async (before: string | null, states: SubmissionState[] = ["inbox"]) => {
        const all: Record<string, string> = {};
        for (let after: number | null = 0; after !== null;) {
          const step: Awaited<ReturnType<SubmissionStore["newestOf"]>> = await store.submissions.newestOf({
            states,
            before,
            after,
            limit: 1,
          });
          for (const { formKey, newest } of step.forms) all[formKey] = newest;
          after = step.next;
        }
        return all;
      };
      expect(await newest(null)).toMatchObject({ [key]: second, [other.key]: own.id });
      expect(await newest(second)).toMatchObject({ [key]: first });
      expect(await newest(null, ["spam"])).toEqual({});
    });

    test("are delivered once as they leave the spam folder", async () => {
      const conditions = { key: null, recent: null, challenge: null, maxSubmissions: null, keepsSpam: true };
      const id = await add({ a: 1 }, { conditions: { ...conditions, spam: "honeypot" } });
      const deliveries = () => ({
        [id]: [{ id: nextId(), kind: "notification" as const, target: "a@b.example" }],
      });
      const queued = () => store.deliveries.countQueued(10);
      await store.submissions.mark([id], "inbox", deliveries(), BY);
      expect(await queued()).toBe(1);
      await store.submissions.mark([id], "spam", {}, BY);
      await store.submissions.mark([id], "archived", deliveries(), BY);
      expect(await queued()).toBe(1);
    });
  });
}
