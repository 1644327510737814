import { describe, expect, test } from "bun:test";
import type { Conditions, Mark } from "../../src/forms/intake/insertion.ts";
import { addForm } from "../support/records/apply.ts";
import { LAST_ID, NOW, fileKept, submissionTo } from "../support/records/records.ts";
import { type Driver, fresh, opener, insertNoted } from "./driver.ts";

const DAY = 86_400_000;

const hashOf = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const mark = (text: string, lifetime = DAY): Mark => ({ hash: hashOf(text), expiresAt: NOW + lifetime });
const keyed = (text: string, content: string) => ({ key: { ...mark(text), content: hashOf(content) } });

const NONE: Conditions = {
  key: null,
  spam: null,
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
};

/** What the product relies on in every driver for the conditions under which a submission is stored. */
export function intakeContract(driver: Driver): void {
  describe(`the intake of submissions, kept by ${driver.name},`, async () => {
    const open = opener(driver);
    const store = await open();
    const newForm = async () => (await addForm(store, fresh())).key;
    const insert = (form: string, given: Partial<Conditions>, at = NOW) =>
      store.submissions.insert(submissionTo(form, { createdAt: at, conditions: { ...NONE, ...given } }));
    const counts = (form: string) =>
      Promise.all(
        (["inbox", "spam", "archived"] as const).map((each) => store.submissions.count(form, [each])),
      );

    test("files what is spam in the spam folder, with its reason", async () => {
      const form = await newForm();
      const submission = submissionTo(form, {
        conditions: { ...NONE, spam: "word:crypto*" },
        files: [fileKept("spam.1")],
      });
      expect(await insertNoted(store, submission)).toEqual({ kind: "stored", spam: "word:crypto*" });
      expect(await store.submissions.find(submission.id)).toMatchObject({
        state: "spam",
        spam: "word:crypto*",
      });
      expect(await counts(form)).toEqual([0, 1, 0]);
      expect(await store.submissions.delete([submission.id])).toEqual([submission.id]);
      expect(await counts(form)).toEqual([0, 0, 0]);
    });

    test("stores no spam where the form keeps none", async () => {
      const form = await newForm();
      const given = { keepsSpam: false, recent: mark("again") };
      expect(await insert(form, { ...given, spam: "links" })).toEqual({ kind: "spam", reason: "links" });
      expect(await insert(form, given)).toEqual({ kind: "stored", spam: null });
      expect(await insert(form, given)).toEqual({ kind: "spam", reason: "duplicate" });
      expect(await counts(form)).toEqual([1, 0, 0]);
    });

    test("lists folders alone and together, newest first, in pages", async () => {
      const form = await newForm();
      const ids: [string, string | null][] = [];
      for (const spam of [null, "links", "links", null, "links", null]) {
        const submission = submissionTo(form, { conditions: { ...NONE, spam } });
        await store.submissions.insert(submission);
        ids.unshift([submission.id, spam]);
      }
      const all = ids.map(([id]) => id);
      const spam = ids.flatMap(([id, reason]) => (reason === null ? [] : [id]));
      const list = async (...args: Parameters<typeof store.submissions.list>) =>
        (await store.submissions.list(...args)).submissions.map(({ id }) => id);
      expect(await list(form, 10, null)).toEqual(all);
      expect(await list(form, 10, null, ["inbox", "archived"])).toEqual(
        all.filter((id) => !spam.includes(id)),
      );
      expect(await list(form, 2, null, ["spam"])).toEqual(spam.slice(0, 2));
      expect(await list(form, 2, all[2]!, ["inbox", "spam", "archived"])).toEqual(all.slice(3, 5));
      expect(await store.submissions.newestId(LAST_ID)).toBe(all[0]!);
    });

    test("holds the limit of a form exactly, however many come at once and from two processes", async () => {
      const [near, far] = [await open("shared"), await open("shared")];
      const { key } = await addForm(near, "form");
      const conditions = { ...NONE, maxSubmissions: 10 };
      const outcomes = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          (index % 2 === 0 ? near : far).submissions.insert(submissionTo(key, { conditions })),
        ),
      );
      expect(outcomes.filter(({ kind }) => kind === "stored")).toHaveLength(10);
      expect(outcomes.filter(({ kind }) => kind === "full")).toHaveLength(50);
      expect(await near.submissions.count(key)).toBe(10);
    });

    test("still files spam of a full form, and spam does not count", async () => {
      const form = await newForm();
      const full = { maxSubmissions: 1 };
      expect(await insert(form, { ...full, spam: "links" })).toEqual({ kind: "stored", spam: "links" });
      expect(await insert(form, full)).toEqual({ kind: "stored", spam: null });
      expect(await insert(form, full)).toEqual({ kind: "full" });
      expect(await insert(form, { ...full, spam: "links" })).toEqual({ kind: "stored", spam: "links" });
    });

    test("answers a repeat with the first submission, of many at once too", async () => {
      const form = await newForm();
      const given = keyed("k", "content");
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => insert(form, given)));
      expect(outcomes.filter(({ kind }) => kind === "stored")).toHaveLength(1);
      const { id } = (await store.submissions.list(form, 10, null)).submissions[0]!;
      expect(outcomes.filter(({ kind }) => kind === "replayed")).toEqual(
        Array.from({ length: 19 }, () => ({ kind: "replayed", id })),
      );
      expect(await insert(form, keyed("k", "other"))).toEqual({ kind: "other-content" });
      await store.submissions.delete([id]);
      expect(await insert(form, given)).toEqual({ kind: "replayed", id });
      expect((await insert(form, given, NOW + DAY)).kind).toBe("stored");
    });

    test("a repeat comes before spam and before the limit", async () => {
      const form = await newForm();
      const given = { ...keyed("first", "content"), maxSubmissions: 1 };
      await insert(form, given);
      expect((await insert(form, { ...given, spam: "links", keepsSpam: false })).kind).toBe("replayed");
      expect((await insert(form, given)).kind).toBe("replayed");
    });

    test("spends a solved challenge once, of many at once too, and only with a submission that is stored", async () => {
      const form = await newForm();
      const given = { challenge: { nonce: mark("nonce") } };
      const full = await newForm();
      await insert(full, {});
      expect(await insert(full, { ...given, maxSubmissions: 1 })).toEqual({ kind: "full" });
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => insert(form, given)));
      const reasons = outcomes.map((each) => (each.kind === "stored" ? each.spam : each.kind));
      expect(reasons.filter((reason) => reason === null)).toHaveLength(1);
      expect(reasons.filter((reason) => reason === "challenge")).toHaveLength(19);
      expect(await insert(form, { challenge: { nonce: null } })).toEqual({
        kind: "stored",
        spam: "challenge",
      });
    });

    test("calls the same content spam until its time is over, which every repeat begins anew", async () => {
      const form = await newForm();
      const at = (seconds: number) => {
        const recent = { hash: hashOf("c"), expiresAt: NOW + seconds * 1000 + 60_000 };
        return insert(form, { recent }, NOW + seconds * 1000);
      };
      expect(await at(0)).toEqual({ kind: "stored", spam: null });
      expect(await at(59)).toEqual({ kind: "stored", spam: "duplicate" });
      expect(await at(118)).toEqual({ kind: "stored", spam: "duplicate" });
      expect(await at(178)).toEqual({ kind: "stored", spam: null });
    });

    test("takes nothing for a duplicate of other spam, and names duplicates before challenges", async () => {
      const form = await newForm();
      const recent = mark("content");
      const unsolved = { challenge: { nonce: null } };
      expect(await insert(form, { recent, ...unsolved })).toEqual({ kind: "stored", spam: "challenge" });
      expect(await insert(form, { recent, challenge: { nonce: mark("solved") } })).toEqual({
        kind: "stored",
        spam: null,
      });
      expect(await insert(form, { recent, ...unsolved })).toEqual({ kind: "stored", spam: "duplicate" });
    });

    test("is predicted without a change", async () => {
      const form = await newForm();
      const conditions = { ...NONE, ...keyed("seen", "content"), recent: mark("seen") };
      const stored = { kind: "stored", spam: null } as const;
      for (let time = 0; time < 2; time += 1)
        expect(await store.submissions.predict(form, NOW, conditions)).toEqual(stored);
      await insert(form, conditions);
      expect(await store.submissions.predict(form, NOW, conditions)).toMatchObject({ kind: "replayed" });
      expect(await store.submissions.predict(form, NOW, { ...conditions, key: null })).toEqual({
        kind: "stored",
        spam: "duplicate",
      });
    });

    test("forgets what has expired, in steps", async () => {
      const store = await open();
      const { key } = await addForm(store, "form");
      for (let index = 0; index < 5; index += 1) {
        const given = {
          ...NONE,
          key: { ...mark(`${index}`, 1000), content: hashOf("") },
          recent: mark(`${index}`, 1000),
          challenge: { nonce: mark(`${index}`, 1000) },
        };
        await store.submissions.insert(submissionTo(key, { conditions: given }));
      }
      expect(await store.submissions.clearExpired(NOW + 999, 2)).toBe(false);
      const steps: boolean[] = [];
      for (let step = 0; step < 3; step += 1) steps.push(await store.submissions.clearExpired(NOW + 1000, 2));
      expect(steps).toEqual([true, true, false]);
    });
  });
}
