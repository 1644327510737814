import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Store } from "../../src/app.ts";
import { hourOf } from "../../src/base/days.ts";
import { timedId } from "../../src/base/ids.ts";
import type { Conditions } from "../../src/forms/intake/insertion.ts";
import type { FormCounts } from "../../src/forms/store.ts";
import {
  SUBMISSION_MARKS,
  SUBMISSION_STATES,
  type SubmissionState,
} from "../../src/forms/submission-state.ts";
import { addForm, apply, deleteFormChange } from "../support/records/apply.ts";
import { NOW, nextId, submissionTo } from "../support/records/records.ts";
import { type Driver, fresh, opener } from "./driver.ts";

const HOUR = 3_600_000;

const NONE: Conditions = {
  key: null,
  spam: null,
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
};

/** The counts as they are found by reading every submission. */
async function countedByHand(store: Store): Promise<FormCounts[]> {
  return Promise.all(
    (await store.forms.list()).map(async ({ key, project, slug, name }) => {
      const of = async (state: SubmissionState) =>
        (await store.submissions.list(key, 1000, null, [state])).submissions;
      const inbox = await of("inbox");
      return {
        formKey: key,
        project,
        form: slug,
        name,
        inbox: inbox.length,
        unread: inbox.filter(({ read }) => !read).length,
        spam: (await of("spam")).length,
        archived: (await of("archived")).length,
        unconfirmed: (await of("unconfirmed")).length,
      };
    }),
  );
}

/** A step of a random walk: what to do, and which of the known forms or submissions to do it with. */
type Step = { what: (typeof STEPS)[number]; pick: number; more: number };
const STEPS = [
  "insert",
  "insert",
  "insert",
  "insert spam",
  "insert where there is room",
  "insert again",
  "insert nowhere",
  "import",
  "mark",
  "mark",
  "label",
  "assign",
  "delete",
  "purge",
  "delete aged",
  "delete form",
  "clear deleted",
  "rewrite",
] as const;

const walks = fc.array(
  fc.array(
    fc.record({
      what: fc.constantFrom(...STEPS),
      pick: fc.nat(999),
      more: fc.nat(999),
    }) as fc.Arbitrary<Step>,
    { minLength: 1, maxLength: 8 },
  ),
  { minLength: 3, maxLength: 10 },
);

async function createWalker(store: Store) {
  const forms = [await addForm(store, fresh()), await addForm(store, fresh())];
  const ids: string[] = [];
  const known = { id: nextId() };
  let steps = 0;
  return async ({ what, pick, more }: Step): Promise<unknown> => {
    const { submissions } = store;
    const form = forms[pick % forms.length]!;
    const picked = ids[pick % Math.max(1, ids.length)] ?? known.id;
    const insert = (formKey: string, given: Partial<Conditions> | null) => {
      const submission = submissionTo(formKey, {
        createdAt: NOW - more * HOUR,
        ...(given && { conditions: { ...NONE, ...given } }),
      });
      // Later steps may use it before it is stored.
      ids.push(submission.id);
      return submissions.insert(submission);
    };
    const hash = String(pick % 10).repeat(64);
    // A deletion frees the number of an event, and takes longer than a millisecond to be seen.
    const by = { who: "ann", at: NOW + (steps += 1) };
    switch (what) {
      case "insert":
        return insert(form.key, null);
      case "insert spam":
        return insert(form.key, { spam: "links", keepsSpam: more % 2 === 0 });
      case "insert where there is room":
        return insert(form.key, { maxSubmissions: 3 });
      case "insert again":
        return insert(form.key, { key: { hash, content: hash, expiresAt: NOW + HOUR } });
      case "insert nowhere":
        return insert("nowhere", null);
      case "import":
        return submissions.import(
          form.key,
          [nextId(), nextId(), picked].map((id, index) => {
            ids.push(id);
            const state = SUBMISSION_STATES[(more + index) % 3]!;
            const createdAt = (more % 5 === 0 ? -1 : NOW) - more * HOUR;
            const spam = state === "spam" ? "manual" : null;
            return { id, data: "{}", createdAt, state, spam, read: more % 2 === 0, meta: null };
          }),
        );
      case "mark":
        return submissions.mark([picked], SUBMISSION_MARKS[more % SUBMISSION_MARKS.length]!, {}, by);
      case "label": {
        const label = `l${more % 2}`;
        const change = more % 4 < 2 ? { add: [label], remove: [] } : { add: [], remove: [label] };
        return submissions.label([picked], change, by);
      }
      case "assign":
        return submissions.assign([picked], [null, "ann", "ben"][more % 3]!, by);
      case "delete":
        return submissions.delete([picked]);
      case "purge": {
        const { items } = await submissions.scanAll(0, 1 + (more % 4));
        return submissions.purge(items, []);
      }
      case "delete aged": {
        const aged = {
          formKey: form.key,
          state: SUBMISSION_STATES[more % 3]!,
          createdBefore: NOW - pick * HOUR,
        };
        return submissions.deleteAged(aged, ids);
      }
      case "delete form":
        if (more % 4 > 0) return undefined;
        forms.splice(forms.indexOf(form), 1, await addForm(store, fresh()));
        return apply(store, deleteFormChange(form));
      case "clear deleted":
        return submissions.clearDeleted(1 + (more % 5));
      case "rewrite":
        return more % 10 === 0 ? submissions.rewrite() : undefined;
      default:
        return undefined;
    }
  };
}

/** What the product relies on for the numbers of submissions in every driver. */
export function countsContract(driver: Driver): void {
  describe(`the counts of submissions, kept by ${driver.name},`, async () => {
    const open = opener(driver);

    /** A store that a run closes, since every run and every shrinking of one opens another. */
    const opened = async () => {
      const store = await driver.open(fresh("database"));
      return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
    };

    test("are those of the submissions after whatever happened to them, together or one by one", async () => {
      await fc.assert(
        fc.asyncProperty(walks, async (walk) => {
          await using store = await opened();
          const take = await createWalker(store);
          for (const steps of walk) {
            // Those of one turn become one transaction where writes are committed together.
            await Promise.allSettled(steps.map(take));
            expect(await store.submissions.counts()).toEqual(await countedByHand(store));
          }
          expect(await store.submissions.wrongCounts()).toEqual([]);
        }),
        { numRuns: 6 },
      );
    }, 60_000);

    test("and their handling make a version, which no other content of the same form has", async () => {
      const contentOf = async (store: Store, key: string) => {
        const { submissions } = await store.submissions.list(key, 1000, null, ["inbox", "archived"]);
        return submissions
          .map(({ id, labels, assignee }) => [id, labels.toSorted(), assignee].join())
          .toSorted()
          .join("\n");
      };
      await fc.assert(
        fc.asyncProperty(walks, async (walk) => {
          await using store = await opened();
          const take = await createWalker(store);
          const seen = new Map<string, string>();
          for (const steps of walk) {
            await Promise.allSettled(steps.map(take));
            for (const { key } of await store.forms.list()) {
              const version = `${key} ${await store.submissions.contentVersion(key)}`;
              const content = await contentOf(store, key);
              expect(seen.get(version) ?? content).toBe(content);
              seen.set(version, content);
            }
          }
        }),
        { numRuns: 10 },
      );
    }, 60_000);

    test("are right where one of the writes of a transaction fails", async () => {
      const store = await open();
      const { key } = await addForm(store, fresh());
      const twice = submissionTo(key);
      const done = await Promise.allSettled([
        store.submissions.insert(submissionTo(key)),
        store.submissions.insert(twice),
        store.submissions.insert(twice),
        store.submissions.insert(submissionTo("nowhere")),
        store.submissions.insert(submissionTo(key)),
        store.submissions.delete([twice.id]),
      ]);
      expect(done.filter(({ status }) => status === "rejected")).toHaveLength(2);
      // A driver may have deleted before it inserted.
      await store.submissions.delete([twice.id]);
      expect(await store.submissions.counts()).toMatchObject([{ inbox: 2, unread: 2, spam: 0 }]);
      const hour = { from: hourOf(NOW), to: hourOf(NOW) + 1 };
      expect(await store.submissions.stored(key, [hour])).toEqual([{ inbox: 3, spam: 0 }]);
    });

    test("are kept by the hour and folder in which they were stored, and stay so", async () => {
      const store = await open();
      const { key } = await addForm(store, fresh());
      const early = submissionTo(key, { createdAt: NOW - HOUR });
      await store.submissions.insert(early);
      await store.submissions.insert(submissionTo(key, { conditions: { ...NONE, spam: "links" } }));
      const replay = {
        conditions: { ...NONE, key: { hash: "ab".repeat(32), content: "cd".repeat(32), expiresAt: NOW + 1 } },
      };
      for (let count = 0; count < 3; count += 1) await store.submissions.insert(submissionTo(key, replay));
      const imported = (createdAt: number, state: "archived" | "spam") => ({
        id: nextId(),
        data: "{}",
        createdAt,
        state,
        spam: null,
        read: true,
        meta: null,
      });
      const rows = [
        imported(NOW - 48 * HOUR, "archived"),
        imported(NOW - 48 * HOUR, "spam"),
        imported(-1, "spam"),
      ];
      await store.submissions.import(key, rows);
      await store.submissions.import(key, rows);
      await store.submissions.mark([early.id], "spam", {}, { who: "ann", at: NOW });
      await store.submissions.delete([early.id]);
      const other = await addForm(store, fresh());
      await store.submissions.insert(submissionTo(other.key, { createdAt: NOW - 48 * HOUR }));
      const spans = [
        [-48, -47],
        [-47, 0],
        [0, 1],
        [-100, 1],
        [1, 1e6],
        [1, 2 ** 53],
      ].map(([from = 0, to = 0]) => ({
        from: hourOf(NOW) + from,
        to: hourOf(NOW) + to,
      }));
      const stored = async (formKey: string) =>
        (await store.submissions.stored(formKey, spans)).map(({ inbox, spam }) => [inbox, spam]);
      expect(await stored(key)).toEqual([
        [1, 1],
        [1, 0],
        [1, 1],
        [3, 2],
        [0, 0],
        [0, 0],
      ]);
      expect((await store.submissions.stored(key, spans, false)).slice(0, 2)).toEqual([
        { inbox: 1, spam: 0 },
        { inbox: 1, spam: 0 },
      ]);
      expect(await stored(other.key)).toEqual([
        [1, 0],
        [0, 0],
        [0, 0],
        [1, 0],
        [0, 0],
        [0, 0],
      ]);
      expect(await store.submissions.stored(key, [])).toEqual([]);
      expect(await store.submissions.stored("nowhere", spans.slice(0, 1))).toEqual([{ inbox: 0, spam: 0 }]);
    });

    test("in spans of time leave out spam, and the end", async () => {
      const store = await open();
      const { key } = await addForm(store, fresh());
      const at = (createdAt: number, spam: string | null = null) =>
        store.submissions.insert({
          ...submissionTo(key, { createdAt, conditions: { ...NONE, spam } }),
          id: timedId(createdAt, 0, Buffer.from((last += 1).toString(16).padStart(16, "0"), "hex")),
        });
      let last = 0;
      for (const time of [NOW, NOW, NOW + 9, NOW + 10]) await at(time);
      await at(NOW, "links");
      const spans = [
        { from: NOW, to: NOW + 10 },
        { from: NOW + 1, to: NOW + 11 },
        { from: NOW - 5, to: NOW },
      ];
      expect(await store.submissions.storedBetween(key, spans)).toEqual([3, 2, 0]);
      expect(await store.submissions.storedBetween(key, [])).toEqual([]);
    });

    test("are of all forms or of those of some projects by span, and the oldest unread one is among the newest", async () => {
      const store = await open();
      const { key, project } = await addForm(store, fresh());
      const ids: string[] = [];
      for (const time of [NOW, NOW + HOUR, NOW + 2 * HOUR]) {
        const id = timedId(time, 0, crypto.getRandomValues(new Uint8Array(8)));
        await store.submissions.insert({ ...submissionTo(key, { createdAt: time }), id });
        ids.push(id);
      }
      await store.submissions.mark(ids.slice(0, 1), "read", {}, { who: "ann", at: NOW });
      const spans = [hourOf(NOW), hourOf(NOW) + 1].map((from) => ({ from, to: from + 1 }));
      const before = await store.submissions.storedIn(["nowhere"], spans);
      expect(before).toEqual(spans.map(() => ({ inbox: 0, spam: 0 })));
      const stored = await store.submissions.storedIn([project], spans);
      expect(stored.every(({ inbox }) => inbox >= 1)).toBe(true);
      expect(await store.submissions.storedIn(null, spans)).toEqual(stored);
      expect(await store.submissions.oldestUnread(key, 2, 10)).toBe(ids[1]!);
      expect(await store.submissions.oldestUnread(key, 2, 1)).toBeNull();
      expect(await store.submissions.oldestUnread(key, 3, 10)).toBeNull();
    });

    test("have the reasons of spam and the first answers of the newest ones, newest first", async () => {
      const store = await open();
      const { key } = await addForm(store, fresh());
      const insert = async (time: number, spam: string | null = null) => {
        const sent = submissionTo(key, { createdAt: time, conditions: { ...NONE, spam } });
        const id = timedId(time, 0, crypto.getRandomValues(new Uint8Array(8)));
        await store.submissions.insert({ ...sent, id });
        return id;
      };
      await insert(NOW - 1000, "email");
      for (const [index, spam] of ["links", "word:x"].entries()) await insert(NOW + index, spam);
      const newest = { since: NOW, limit: 2 };
      expect(await store.submissions.spamReasons(key, newest)).toEqual(["word:x", "links"]);
      expect(await store.submissions.spamReasons(key, { ...newest, limit: 1 })).toEqual(["word:x"]);
      const [old, first, second] = [await insert(NOW - 1000), await insert(NOW + 2), await insert(NOW + 3)];
      await store.submissions.mark([old, first], "archived", {}, { who: "ann", at: NOW + 90 });
      await store.submissions.mark([first], "inbox", {}, { who: "ann", at: NOW + 91 });
      await store.submissions.mark([first], "archived", {}, { who: "ann", at: NOW + 92 });
      await store.submissions.mark([second], "read", {}, { who: "ann", at: NOW + 93 });
      const answers = [
        { createdAt: NOW + 3, at: null },
        { createdAt: NOW + 2, at: NOW + 90 },
      ];
      expect(await store.submissions.firstAnswers(key, newest)).toEqual(answers);
      const answer = { text: "yes", subject: "Re", delivery: { id: nextId(), target: "ann@example.com" } };
      await store.submissions.answer(first, answer, { who: "ann", at: NOW + 80 });
      expect(await store.submissions.firstAnswers(key, newest)).toEqual([
        answers[0]!,
        { createdAt: NOW + 2, at: NOW + 80 },
      ]);
    });

    test("are listed for every form by slug, and for none that was deleted", async () => {
      const store = await open();
      const [b, a] = [await addForm(store, "b"), await addForm(store, "a")];
      await store.submissions.insert(submissionTo(b.key));
      const none = { inbox: 0, unread: 0, spam: 0, archived: 0, unconfirmed: 0 };
      expect(await store.submissions.counts()).toEqual([
        { formKey: a.key, project: "default", form: "a", name: "a", ...none },
        { formKey: b.key, project: "default", form: "b", name: "b", ...none, inbox: 1, unread: 1 },
      ]);
      expect(await store.submissions.unread()).toBe(1);
      await apply(store, deleteFormChange(b));
      expect(await store.submissions.unread()).toBe(0);
      expect((await store.submissions.counts()).map(({ form }) => form)).toEqual(["a"]);
      while (await store.submissions.clearDeleted(10));
      expect(await store.submissions.wrongCounts()).toEqual([]);
    });
  });
}
