import { describe, expect, test } from "bun:test";
import { HANDLING_LIMITS, MAX_EVENTS_KEPT } from "../../../src/forms/limits.ts";
import { addForm, apply, deleteFormChange } from "../../support/records/apply.ts";
import { NOW, nextId, submissionTo } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

const ANN = { who: "ann", at: NOW + 1 };
const BEN = { who: "ben", at: NOW + 2 };
const SCAN = {
  states: ["inbox"] as const,
  unread: false,
  since: null,
  until: null,
  upTo: null,
  terms: null,
  before: null,
  limit: 100,
  bytes: 100_000,
};

/** What the product relies on in every driver for what people do with submissions. */
export function handlingContract(driver: Driver): void {
  describe(`submissions in ${driver.name}`, async () => {
    const store = await opener(driver)();
    const { submissions } = store;

    async function newForm(count = 1) {
      const form = await addForm(store, fresh());
      const { key } = form;
      const ids: string[] = [];
      for (let index = 0; index < count; index += 1) {
        const sent = submissionTo(key);
        await submissions.insert(sent);
        ids.push(sent.id);
      }
      return { ...form, ids };
    }
    const selected = async (key: string, more: object) =>
      (await submissions.scan(key, { ...SCAN, ...more })).submissions.map(({ id }) => id);

    test("are given to a user and to nobody, which is recorded for those it changes", async () => {
      const { key, ids } = await newForm(3);
      const [one, two] = ids as [string, string];
      expect(await submissions.assign([one, two], "ann", BEN)).toEqual([one, two]);
      expect(await submissions.assign([one], "ann", BEN)).toEqual([]);
      expect((await submissions.find(one))?.assignee).toBe("ann");
      expect(await selected(key, { assignee: "ann" })).toEqual([two, one]);
      expect(await selected(key, { assignee: "ben" })).toEqual([]);
      expect(await submissions.assign([one], null, ANN)).toEqual([one]);
      expect((await submissions.find(one))?.assignee).toBe(null);
      expect(await submissions.events(one)).toEqual([
        { kind: "assigned", text: "ann", delivery: null, ...BEN },
        { kind: "assigned", text: null, delivery: null, ...ANN },
      ]);
      expect(await submissions.events(two)).toHaveLength(1);
    });

    test("are counted for the user who looks after them, while they are unread in an inbox", async () => {
      const [first, second] = [await newForm(4), await newForm(2)];
      const ids = [...first.ids, ...second.ids];
      const [read, moved, ...unread] = ids as [string, string, ...string[]];
      await submissions.assign(ids, "eve", BEN);
      await submissions.assign(unread.slice(0, 1), "ben", BEN);
      await submissions.mark([read], "read", {}, BEN);
      await submissions.mark([moved], "archived", {}, BEN);
      expect(await submissions.unreadOf("eve", 100)).toBe(3);
      expect(await submissions.unreadOf("eve", 2)).toBe(2);
      expect(await submissions.unreadOf("eve", 100, ["default"])).toBe(3);
      expect(await submissions.unreadOf("eve", 100, ["other"])).toBe(0);
      expect(await submissions.unreadOf("nobody", 100)).toBe(0);
      await apply(store, deleteFormChange(second));
      expect(await submissions.unreadOf("eve", 100)).toBe(1);
    });

    test("get labels, each once and without regard to case, in their order", async () => {
      const { key, ids } = await newForm(3);
      const [one, two] = ids as [string, string];
      const add = (...labels: string[]) => ({ add: labels, remove: [] });
      expect(await submissions.label([one, two], add("urgent", "Bug"), ANN)).toEqual([one, two]);
      expect(await submissions.label([one], add("URGENT"), ANN)).toEqual([]);
      expect((await submissions.find(one))?.labels).toEqual(["Bug", "urgent"]);
      expect(await selected(key, { isLabeled: true })).toEqual([two, one]);
      expect(await submissions.labels(key)).toEqual(["Bug", "urgent"]);
      await submissions.label([one], { add: ["later"], remove: ["BUG", "urgent", "none"] }, BEN);
      expect((await submissions.find(one))?.labels).toEqual(["later"]);
      expect((await submissions.events(one)).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
        "labeled urgent",
        "labeled Bug",
        "unlabeled Bug",
        "unlabeled urgent",
        "labeled later",
      ]);
      await submissions.label([one], { add: [], remove: ["later"] }, BEN);
      expect((await submissions.find(one))?.labels).toEqual([]);
      expect(await selected(key, { isLabeled: true })).toEqual([two]);
      const many = Array.from({ length: HANDLING_LIMITS.labels + 1 }, (_, index) => `l${index}`);
      expect(await codeOf(submissions.label([two, one], { add: many, remove: [] }, ANN))).toBe("conflict");
      expect((await submissions.find(two))?.labels).toEqual(["Bug", "urgent"]);
    });

    test("keep notes and answers longer than what else was done with them", async () => {
      const { ids } = await newForm();
      const [one] = ids as [string];
      await submissions.note(one, "called\r\nback", ANN);
      for (let index = 0; index < MAX_EVENTS_KEPT; index += 1)
        await submissions.assign([one], index % 2 === 0 ? "ann" : null, BEN);
      const events = await submissions.events(one);
      expect(events).toHaveLength(MAX_EVENTS_KEPT);
      expect(events[0]).toEqual({ kind: "noted", text: "called\r\nback", delivery: null, ...ANN });
    });

    test("are answered as often as somebody writes, each answer a delivery to the address", async () => {
      const { ids } = await newForm();
      const [one] = ids as [string];
      const answers = ["first", "second"].map((text) => ({
        text,
        subject: "Re: Contact",
        delivery: { id: nextId(), target: "ada@example.com" },
      }));
      for (const answer of answers) await submissions.answer(one, answer, ANN);
      const query = { limit: 10, before: null, formKeys: null, projects: null, status: null };
      const { items } = await store.deliveries.page({ ...query, submission: one });
      expect(items.map(({ id, kind, target, status }) => [id, kind, target, status])).toEqual(
        answers.map(({ delivery }) => [delivery.id, "reply", "ada@example.com", "queued"]).toReversed(),
      );
      expect((await submissions.events(one)).map(({ text, delivery }) => [text, delivery])).toEqual(
        answers.map(({ text, delivery }) => [text, delivery.id]),
      );
      for (const { text, subject, delivery } of answers)
        expect(await store.deliveries.answer(delivery.id)).toEqual({ text, subject, thread: one });
    });

    test("refer with their answers to the automatic reply that their sender got", async () => {
      const { key } = await newForm();
      const reply = { id: nextId(), kind: "autoreply" as const, target: "ada@example.com" };
      const sent = submissionTo(key, { deliveries: [reply] });
      await submissions.insert(sent);
      const delivery = { id: nextId(), target: "ada@example.com" };
      await submissions.answer(sent.id, { text: "hello", subject: "Re: Hi", delivery }, ANN);
      expect(await store.deliveries.answer(delivery.id)).toMatchObject({ thread: reply.id });
      expect(await store.deliveries.answer(nextId())).toBeUndefined();
    });

    test("are changed all or none", async () => {
      const { ids } = await newForm();
      const [one] = ids as [string];
      const both = [one, nextId()];
      expect(await codeOf(submissions.assign(both, "ann", ANN))).toBe("not_found");
      expect(await codeOf(submissions.label(both, { add: ["x"], remove: [] }, ANN))).toBe("not_found");
      expect(await codeOf(submissions.note(nextId(), "x", ANN))).toBe("not_found");
      expect(await submissions.find(one)).toMatchObject({ assignee: null, labels: [] });
      expect(await submissions.events(one)).toEqual([]);
    });

    test("take what people did with them along when they are deleted", async () => {
      const { ids } = await newForm();
      await submissions.note(ids[0]!, "x", ANN);
      await submissions.delete(ids);
      expect(await submissions.events(ids[0]!)).toEqual([]);
      const batches = await Array.fromAsync(store.dump());
      const rows = batches
        .filter(({ table }) => table === "submission_events")
        .flatMap((batch) => batch.rows);
      expect(rows.filter((row) => row.includes(ids[0]!))).toEqual([]);
    });
  });
}
