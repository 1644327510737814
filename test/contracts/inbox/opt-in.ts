import { describe, expect, test } from "bun:test";
import type { NewDelivery, Pace } from "../../../src/delivery/delivery.ts";
import type { Conditions } from "../../../src/forms/intake/insertion.ts";
import type { StoredConsent } from "../../../src/forms/opt-in/consent.ts";
import { applyDefinition, filledDefinition } from "../../../src/flags/segment.ts";
import { putSegment } from "../../../src/flags/plan.ts";
import { addForm, addProject, apply } from "../../support/records/apply.ts";
import { NOW, nextId, submissionTo } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

const CONSENT: StoredConsent = {
  at: new Date(NOW).toISOString(),
  address: "ab".repeat(32),
  text: "Newsletter",
  language: "de",
};

const CONDITIONS: Conditions = {
  key: null,
  spam: null,
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
  consent: JSON.stringify(CONSENT),
};

/** The rules in every driver for senders who confirm. */
export function optInContract(driver: Driver): void {
  describe(`senders who confirm, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();
    const { submissions } = store;

    /** A form that fills a segment, with ways to send to it and to confirm. */
    async function newForm() {
      const form = await addForm(store, fresh());
      const project = await addProject(store, fresh(), "live");
      const place = { project: project.slug, environment: "live", segment: "beta" };
      const source = {
        project: "default",
        form: form.slug,
        field: "email",
        attribute: "email",
        approve: false,
      };
      const { record } = applyDefinition("beta", undefined, filledDefinition("beta", source), NOW);
      await apply(store, putSegment(place, undefined, record));
      const send = async (email: string, more: Partial<Conditions> = {}, deliveries: NewDelivery[] = []) => {
        const conditions = { ...CONDITIONS, ...more };
        const sent = submissionTo(form.key, { data: JSON.stringify({ email }), conditions, deliveries });
        expect(await submissions.insert(sent)).toMatchObject({ kind: "stored" });
        return sent.id;
      };
      const confirm = (id: string, maxSubmissions: number | null = null, at = NOW + 5) => {
        const deliveries = [{ id: nextId(), kind: "notification" as const, target: "ops@example.com" }];
        return submissions.confirm(id, { at, address: null, maxSubmissions, deliveries, measured: [] });
      };
      const members = async () =>
        (await store.memberships.page(place, { limit: 10, pending: false })).items.map(({ value }) => value);
      const deliveriesOf = async (submission: string) => {
        const query = { limit: 10, before: null, formKeys: null, projects: null, status: null };
        return (await store.deliveries.page({ ...query, submission })).items.map(({ kind }) => kind);
      };
      const counts = async () => (await submissions.counts()).find(({ formKey }) => formKey === form.key);
      return { form, send, confirm, members, deliveriesOf, counts };
    }

    test("make a submission count when they confirm it, and once", async () => {
      const { form, send, confirm, members, deliveriesOf, counts } = await newForm();
      const hour = Math.floor(NOW / 3_600_000);
      const stored = () => submissions.stored(form.key, [{ from: hour, to: hour + 1 }]);
      const id = await send("ann@example.com");
      expect(await submissions.awaited(id)).toMatchObject({
        formKey: form.key,
        folder: "unconfirmed",
        confirmedAt: null,
        consent: CONSENT,
      });
      expect([await members(), await deliveriesOf(id), await stored()]).toEqual([
        [],
        [],
        [{ inbox: 0, spam: 0 }],
      ]);
      expect(await counts()).toMatchObject({ inbox: 0, unread: 0, unconfirmed: 1 });
      const outcomes = await Promise.all([
        confirm(id),
        confirm(id, null, NOW + 6),
        confirm(id, null, NOW + 7),
      ]);
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect([await members(), await deliveriesOf(id), await stored()]).toEqual([
        ["ann@example.com"],
        ["notification"],
        [{ inbox: 1, spam: 0 }],
      ]);
      expect(await counts()).toMatchObject({ inbox: 1, unread: 1, unconfirmed: 0 });
      const { at, address, text } = (await submissions.find(id))!.consent!;
      expect([address, text, Date.parse(at) > NOW]).toEqual([null, "Newsletter", true]);
      expect((await submissions.awaited(id))!.consent!.language).toBeUndefined();
      expect(await submissions.wrongCounts()).toEqual([]);
    });

    test("confirm nothing that is spam, unknown, of a full form or of one that does not ask", async () => {
      const { form, send, confirm } = await newForm();
      const spam = await send("a@example.com", { spam: "word:casino" });
      const plain = submissionTo(form.key);
      await submissions.insert(plain);
      const full = await send("b@example.com");
      expect((await submissions.awaited(plain.id))!.consent).toBeNull();
      expect([
        await codeOf(confirm(spam)),
        await codeOf(confirm(nextId())),
        await codeOf(confirm(plain.id)),
        await codeOf(confirm(full, 1)),
        await confirm(full, 2),
      ]).toEqual(["not_found", "not_found", "not_found", "conflict", true]);
    });

    test("wait again for what leaves the spam folder, and keep it from other folders until then", async () => {
      const { send, confirm, members } = await newForm();
      const by = { who: "ann", at: NOW };
      const id = await send("c@example.com", { spam: "links" });
      expect((await submissions.standing([id]))[id]).toMatchObject({ state: "spam", waits: true });
      await submissions.mark([id], "archived", {}, by);
      expect(await submissions.find(id)).toMatchObject({ state: "unconfirmed", spam: null });
      for (const mark of ["inbox", "archived"] as const)
        expect(await codeOf(submissions.mark([id], mark, {}, by))).toBe("conflict");
      await submissions.mark([id], "read", {}, by);
      const unasked = await send("e@example.com", { spam: "links" });
      await submissions.mark([unasked], "inbox", { [unasked]: [] }, by);
      await submissions.mark([unasked], "archived", {}, by);
      expect(await submissions.find(unasked)).toMatchObject({ state: "archived", confirmedAt: null });
      await submissions.mark([unasked], "spam", {}, by);
      await confirm(id);
      await submissions.mark([id], "spam", {}, by);
      await submissions.mark([id], "archived", {}, by);
      expect(await submissions.find(id)).toMatchObject({ state: "archived", read: true });
      expect(await members()).toEqual(["c@example.com"]);
    });

    test("are asked at most so often, each time a while after the one before", async () => {
      const { send } = await newForm();
      const pace = { hash: "cd".repeat(32), most: 3, within: 86_400_000, apart: 60_000 };
      const dueAt: (string | null)[] = [];
      for (let times = 0; times < 5; times += 1) {
        const request = {
          id: nextId(),
          kind: "confirmation",
          target: "d@example.com",
          paces: [pace],
        } satisfies NewDelivery;
        await send("d@example.com", {}, [request]);
        dueAt.push((await store.deliveries.find(request.id))?.nextAt ?? null);
      }
      const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString();
      expect(dueAt).toEqual([at(0), at(1), at(2), null, null]);
      expect(await store.deliveries.nextAt([""])).toBeNull();
    });

    test("wait for the places that their form has given away ahead, also after one whose mailbox was asked too often", async () => {
      const { send } = await newForm();
      const ofForm = { hash: "ef".repeat(32), most: 1, within: 1000, apart: 0, waits: true } as const;
      const toMailbox = { hash: "fe".repeat(32), most: 1, within: 1000, apart: 0 };
      const dueAt = async (...paces: Pace[]) => {
        const id = nextId();
        await send("e@example.com", {}, [{ id, kind: "confirmation", target: "e@example.com", paces }]);
        const { nextAt = null } = (await store.deliveries.find(id)) ?? {};
        return nextAt && Date.parse(nextAt) - NOW;
      };
      expect([await dueAt(ofForm, toMailbox), await dueAt(ofForm), await dueAt(ofForm)]).toEqual([
        0, 1000, 2000,
      ]);
      expect(await dueAt(ofForm, toMailbox)).toBeNull();
      await submissions.clearExpired(NOW + 1500, 100);
      expect(await dueAt(ofForm)).toBe(3000);
    });

    test("who unsubscribe leave the segments of the form, whichever of their submissions they came by", async () => {
      const { send, confirm, members } = await newForm();
      const [first, second, other] = [
        await send("Eve@example.com"),
        await send("eve@example.com"),
        await send("f@example.com"),
      ];
      for (const id of [first, second, other]) await confirm(id);
      expect(await members()).toEqual(["eve@example.com", "f@example.com"]);
      expect(await submissions.unsubscribe(first, ["Eve@example.com"], NOW + 9)).toBe(true);
      expect(await submissions.unsubscribe(first, ["Eve@example.com"], NOW + 10)).toBe(false);
      expect(await members()).toEqual(["f@example.com"]);
      const marked = await Promise.all([first, second, other].map((id) => submissions.find(id)));
      const at = new Date(NOW + 9).toISOString();
      expect(marked.map((each) => each!.unsubscribedAt)).toEqual([at, at, null]);
      // Out of the spam folder they come back to the form, not to the segment.
      await submissions.mark([second], "spam", {}, { who: "ann", at: NOW });
      await submissions.mark([second], "inbox", {}, { who: "ann", at: NOW });
      expect(await members()).toEqual(["f@example.com"]);
      expect(await codeOf(submissions.unsubscribe(nextId(), [], NOW))).toBe("not_found");
    });
  });
}
