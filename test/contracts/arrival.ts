import { beforeEach, describe, expect, test } from "bun:test";
import { endOfIds, timedId } from "../../src/base/ids.ts";
import type { Scan } from "../../src/forms/inbox/scan.ts";
import { SUBMISSION_STATES } from "../../src/forms/submission-state.ts";
import { addForm, apply } from "../support/records/apply.ts";
import { LAST_ID, NOW, nextId, random, submissionTo } from "../support/records/records.ts";
import { type Driver, fresh, opener } from "./driver.ts";

const EVERYTHING: Scan = {
  states: SUBMISSION_STATES,
  unread: false,
  since: null,
  until: null,
  upTo: null,
  terms: null,
  before: null,
  limit: 100,
  bytes: 500_000,
};

/** An id of version 4, as other software makes them. */
const FOREIGN = "f47ac10b-58cc-4372-a567-0e02b2c3d479";

/** What the product relies on for the order in which submissions arrive, in every driver. */
export function arrivalContract(driver: Driver): void {
  describe(`submissions that arrive in ${driver.name}`, async () => {
    const open = opener(driver);
    let store = await open();
    let form = { key: "", slug: "" };
    beforeEach(async () => {
      store = await open();
      form = await addForm(store, fresh());
    });
    const send = async () => {
      const submission = submissionTo(form.key);
      await store.submissions.insert(submission);
      return submission.id;
    };
    const load = (id: string) =>
      store.submissions.import(form.key, [
        { id, data: "{}", createdAt: 0, state: "inbox", spam: null, read: true, meta: null },
      ]);

    test("have an order that does not depend on their ids", async () => {
      expect(await store.submissions.lastArrivals(1)).toEqual([]);
      const first = await send();
      await load(FOREIGN);
      const counted = (await store.submissions.lastArrivals(1))[0]!;
      expect(counted.id).toBe(FOREIGN);
      expect(await store.submissions.arrival(FOREIGN)).toEqual(counted);
      expect(await store.submissions.arrival(nextId())).toBeNull();
      const later = await send();
      await load("00000000-0000-0000-0000-000000000001");
      expect((await store.submissions.arrival(later))!.place).toBeGreaterThan(counted.place);
      const scan = { ...EVERYTHING, upTo: counted.place };
      const { submissions } = await store.submissions.scan(form.key, scan);
      expect(submissions.map(({ id }) => id)).toEqual([FOREIGN, first]);
    });

    test("count as arrived only while their form exists", async () => {
      const kept = await send();
      const { key, slug } = form;
      form = await addForm(store, fresh());
      const gone = await send();
      await apply(store, { change: "deleteForm", project: "default", ...form, onlyEmpty: false });
      form = { key, slug };
      expect((await store.submissions.lastArrivals(1))[0]!.id).toBe(kept);
      expect(await store.submissions.arrival(gone)).toBeNull();
    });

    test("have foreign ids where an import brought any that do not begin with about their time", async () => {
      const row = { data: "{}", createdAt: NOW, state: "inbox", spam: null, read: true, meta: null } as const;
      const load = (time: number) => store.submissions.import(form.key, [{ ...row, id: nextIdAt(time) }]);
      const nextIdAt = (time: number) => timedId(time, 0, random(8));
      await load(NOW - 3_600_000);
      await load(NOW + 3_600_000);
      expect(await store.submissions.hasForeignIds(form.key)).toBe(false);
      await load(NOW - 3_600_001);
      expect(await store.submissions.hasForeignIds(form.key)).toBe(true);
      expect(await store.submissions.hasForeignIds((await addForm(store, fresh())).key)).toBe(false);
    });

    test("have a newest id below one", async () => {
      const id = await send();
      await load(FOREIGN);
      expect(await store.submissions.newestId(LAST_ID)).toBe(FOREIGN);
      expect(await store.submissions.newestId(endOfIds(NOW))).toBe(id);
      expect(await store.submissions.newestId(id)).toBeNull();
    });
  });
}
