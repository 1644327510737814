import type { DeliveryStatus } from "../../src/delivery/delivery-status.ts";
import { describe, expect, test } from "bun:test";
import {
  BULK_LANE,
  type DeliveryKind,
  MAIL_LANE,
  MAIL_LANES,
  type NewDelivery,
} from "../../src/delivery/delivery.ts";
import type { OutboxTurn } from "../../src/delivery/store.ts";
import { addForm, apply, deleteFormChange } from "../support/records/apply.ts";
import { NOW, nextId, submissionTo, targetRecord } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";
import { type Driver, fresh, opener } from "./driver.ts";

const TURN: OutboxTurn = {
  holder: "a",
  now: NOW,
  databaseNow: NOW,
  leaseUntil: NOW + 30_000,
  settled: [],
  renewed: [],
  blocked: [],
  after: null,
  perLane: 10,
  limit: 100,
};
const BY = { who: "ann", at: NOW };
const NOTHING = { code: null, error: null };

const to = (
  target: string,
  kind: DeliveryKind = "webhook",
  more: Partial<NewDelivery> = {},
): NewDelivery => ({
  id: nextId(),
  kind,
  target,
  ...more,
});

/** What the product relies on in every driver for the outbox. */
export function deliveriesContract(driver: Driver): void {
  describe(`deliveries, kept by ${driver.name},`, async () => {
    const open = opener(driver);
    /** A store with one form, and a function that stores submissions to it. */
    const begin = async () => {
      const store = await open();
      const form = await addForm(store, fresh());
      const submit = async (...deliveries: NewDelivery[]) => {
        const submission = submissionTo(form.key, { deliveries });
        await store.submissions.insert(submission);
        return submission.id;
      };
      const turn = (more: Partial<OutboxTurn> = {}) => store.deliveries.turn({ ...TURN, ...more });
      const all = async () =>
        (
          await store.deliveries.page({
            limit: 100,
            before: null,
            formKeys: null,
            projects: null,
            submission: null,
            status: null,
          })
        ).items;
      return { store, form, submit, turn, all };
    };

    test("begin with their submission, are due at once, and end with it", async () => {
      const { store, form, submit, all } = await begin();
      const delivery = to("aaaa-bbbb-cccc");
      const submission = await submit(delivery);
      const queued = {
        id: delivery.id,
        submission,
        project: "default",
        form: form.slug,
        environment: null,
        event: null,
        kind: "webhook",
        target: "aaaa-bbbb-cccc",
        status: "queued",
        attempts: 0,
        nextAt: new Date(NOW).toISOString(),
        ...NOTHING,
      } as const;
      expect(await all()).toEqual([queued]);
      expect(await store.deliveries.find(delivery.id)).toEqual(queued);
      expect(await store.deliveries.nextAt([])).toBe(NOW);
      expect(await store.deliveries.countQueued(10)).toBe(1);
      await store.submissions.delete([submission]);
      expect(await all()).toEqual([]);
      expect(await store.deliveries.nextAt([])).toBeNull();
    });

    test("do not begin for spam", async () => {
      const { store, form, all } = await begin();
      const conditions = {
        key: null,
        spam: "honeypot",
        recent: null,
        challenge: null,
        keepsSpam: true,
        maxSubmissions: null,
      };
      await store.submissions.insert(submissionTo(form.key, { conditions, deliveries: [to("t")] }));
      expect(await all()).toEqual([]);
    });

    test("are leased by whoever claims them, and due again when the lease ends", async () => {
      const { submit, turn } = await begin();
      const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
      const delivery = { ...to("t"), trace };
      const submission = await submit(delivery);
      const claimed = {
        id: delivery.id,
        submission,
        kind: "webhook",
        target: "t",
        attempts: 0,
        ...NOTHING,
        trace,
      };
      expect(await turn()).toEqual([claimed] as never);
      expect(await turn({ holder: "b" })).toEqual([]);
      const at = (time: number) => ({ now: time, databaseNow: time });
      expect(await turn({ holder: "b", ...at(NOW + 29_999) })).toEqual([]);
      await turn({ renewed: [delivery.id], leaseUntil: NOW + 60_000 });
      expect(await turn({ holder: "b", ...at(NOW + 59_999) })).toEqual([]);
      expect(await turn({ holder: "b", ...at(NOW + 60_000), leaseUntil: NOW + 90_000 })).toHaveLength(1);
    });

    test("are leased by the clock of the database, and due by that of the process", async () => {
      const { store, submit, turn } = await begin();
      await submit(to("t"));
      expect(await turn({ now: NOW - 1, databaseNow: NOW + 3_600_000 })).toEqual([]);
      expect(await turn({ now: NOW, databaseNow: NOW - 60_000, leaseUntil: NOW - 30_000 })).toHaveLength(1);
      const early = { databaseNow: NOW - 30_001, leaseUntil: NOW };
      for (const now of [NOW - 3_600_000, NOW, NOW + 3_600_000])
        expect(await turn({ holder: "b", now, ...early })).toEqual([]);
      const ended = { now: NOW - 3_600_000, databaseNow: NOW - 30_000 };
      expect(await turn({ holder: "b", ...ended })).toHaveLength(1);
      expect(await store.deliveries.clock()).toBeWithin(Date.now() - 5000, Date.now() + 5000);
    });

    test("keep their attempts, the newest 100, also when they are retried", async () => {
      const { store, submit, turn } = await begin();
      const delivery = to("t");
      const submission = await submit(delivery);
      const attempt = (at: number, code: number | null) => ({
        id: delivery.id,
        status: "queued" as const,
        attempts: 1,
        dueAt: NOW,
        code,
        error: code === 200 ? null : "it was down",
        attempt: { at, duration: 5 },
      });
      await turn();
      await turn({ holder: "b", settled: [attempt(0, 200)] });
      expect(await store.deliveries.attempts(delivery.id)).toEqual([]);
      await turn({ settled: [attempt(1, null)], limit: 1 });
      await store.deliveries.retry([delivery.id], NOW);
      await turn({ settled: [attempt(1, 200)] });
      await turn({ settled: [{ ...attempt(2, 500), attempt: undefined }] as never });
      expect(await store.deliveries.attempts(delivery.id)).toEqual([
        { at: 1, duration: 5, code: null, error: "it was down" },
        { at: 1, duration: 5, code: 200, error: null },
      ]);
      for (let at = 2; at < 105; at += 1) {
        await turn({ limit: 1 });
        await turn({ settled: [attempt(at, 500)], limit: 0 });
      }
      const kept = await store.deliveries.attempts(delivery.id);
      expect([kept.length, kept[0]!.at, kept.at(-1)!.at]).toEqual([100, 5, 104]);
      await store.submissions.delete([submission]);
      expect(await store.deliveries.attempts(delivery.id)).toEqual([]);
    });

    test("are settled by the holder of the lease alone", async () => {
      const { store, submit, turn } = await begin();
      const delivery = to("t");
      await submit(delivery);
      await turn();
      const result = {
        id: delivery.id,
        status: "delivered" as const,
        attempts: 1,
        dueAt: NOW + 1000,
        code: 204,
        error: null,
      };
      await turn({ holder: "b", settled: [result] });
      expect(await store.deliveries.find(delivery.id)).toMatchObject({ status: "queued", attempts: 0 });
      await turn({ settled: [result] });
      const ended = { status: "delivered", attempts: 1, code: 204, nextAt: null };
      expect(await store.deliveries.find(delivery.id)).toMatchObject(ended);
      await turn({ settled: [{ ...result, status: "failed" }] });
      expect(await store.deliveries.find(delivery.id)).toMatchObject(ended);
    });

    test("are released for the holder that starts again", async () => {
      const { store, submit, turn } = await begin();
      await submit(to("t"));
      await turn();
      await store.deliveries.release("b", NOW);
      expect(await turn()).toEqual([]);
      await store.deliveries.release("a", NOW + 1);
      expect(await turn({ now: NOW + 1 })).toHaveLength(1);
    });

    test("are claimed from each lane up to its limit, and from no lane that is blocked", async () => {
      const { store, submit, turn } = await begin();
      for (let count = 0; count < 4; count += 1) await submit(to("t"), to("u"));
      await submit(to("a@example.com", "notification"), to("b@example.com", "autoreply"));
      const lanes = async (more: Partial<OutboxTurn>) =>
        (await turn(more)).map(({ kind, target }) => (kind === "webhook" ? target : "mail"));
      expect(await lanes({ perLane: 2, blocked: ["u"] })).toEqual(["mail", "mail", "t", "t"]);
      expect(await lanes({ perLane: 3, blocked: ["", "t"], limit: 2 })).toEqual(["u", "u"]);
      expect(await store.deliveries.nextAt(["t", "u"])).toBe(NOW + 30_000);
      expect(await store.deliveries.nextAt(["", "t", "u"])).toBeNull();
      expect(await lanes({})).toEqual(["t", "t", "u", "u"]);
    });

    test("by mail are claimed from two lanes, so that no number of welcomes hides other mail", async () => {
      const { store, submit, turn, all } = await begin();
      for (let count = 0; count < 5; count += 1) await submit(to("w@example.com#1.beta", "welcome"));
      const now = NOW + 1;
      const later = submissionTo((await addForm(store, fresh())).key, {
        createdAt: now,
        deliveries: [to("a@example.com", "notification")],
      });
      await store.submissions.insert(later);
      const kinds = async (more: Partial<OutboxTurn>) =>
        (await turn({ now, databaseNow: now, ...more })).map(({ kind }) => kind);
      expect(await store.deliveries.nextAt([BULK_LANE])).toBe(now);
      expect(await store.deliveries.nextAt([...MAIL_LANES])).toBeNull();
      expect(await kinds({ blocked: [...MAIL_LANES] })).toEqual([]);
      expect(await kinds({ blocked: [MAIL_LANE], perLane: 2 })).toEqual(["welcome", "welcome"]);
      expect(await kinds({ perLane: 2 })).toEqual(["notification", "welcome", "welcome"]);
      expect(await store.deliveries.cancelTargetless(NOW, 9)).toBe(false);
      expect(await store.deliveries.explainMail(0, NOW + 60_000, 4)).toBe(true);
      expect(await store.deliveries.explainMail(0, NOW + 60_000, 4)).toBe(false);
      const found = (await all()).map(({ status, nextAt }) => `${status} ${nextAt}`);
      expect(found).toEqual(Array.from({ length: 6 }, () => "queued null"));
    });

    test("are claimed from the lanes behind another one first", async () => {
      const { submit, turn } = await begin();
      await submit(to("t"), to("u"), to("v"), to("a@example.com", "notification"));
      await submit(to("t"), to("u"));
      const lanes = async (after: string, limit: number) =>
        (await turn({ after, limit, perLane: 1 })).map(({ target }) => target);
      expect(await lanes("t", 2)).toEqual(["u", "v"]);
      expect(await lanes("v", 2)).toEqual(["a@example.com", "t"]);
      expect(await lanes("t", 9)).toEqual(["u", "t"]);
    });

    test("exist once for a submission, kind and target", async () => {
      const { submit, all } = await begin();
      await submit(to("t"), to("t"), to("t", "slack"));
      expect((await all()).map(({ kind }) => kind).toSorted()).toEqual(["slack", "webhook"]);
    });

    test("to a sender are one in their time, and no more of a form than its limit", async () => {
      const { submit, all } = await begin();
      const hash = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
      const reply = (address: string, at = NOW) =>
        to(address, "autoreply", {
          limit: { hash: hash(address), expiresAt: at + 86_400_000, since: at - 3_600_000, most: 3 },
        });
      const count = async () => (await all()).length;
      await submit(reply("a"));
      await submit(reply("a"));
      expect(await count()).toBe(1);
      for (const address of ["b", "c", "d", "e"]) await submit(reply(address));
      expect(await count()).toBe(3);
    });

    test("by mail that are due keep why they wait for a mail server, in steps", async () => {
      const { store, submit, turn, all } = await begin();
      for (const name of ["a", "b", "c"]) await submit(to(`${name}@example.com`, "notification"), to("t"));
      expect(await store.deliveries.explainMail(0, NOW - 1, 2)).toBe(false);
      expect(await store.deliveries.explainMail(NOW, NOW + 1, 2)).toBe(false);
      expect((await all()).every(({ error, nextAt }) => error === null && nextAt !== null)).toBe(true);
      expect(await store.deliveries.explainMail(NOW - 1, NOW, 2)).toBe(true);
      expect(await store.deliveries.explainMail(NOW - 1, NOW, 2)).toBe(false);
      const isExplained = ({ error, nextAt }: { error: string | null; nextAt: string | null }) =>
        nextAt === null && error?.startsWith("no mail server is configured");
      const explained = (await all()).filter(isExplained);
      expect(explained.map(({ kind }) => kind)).toEqual(["notification", "notification", "notification"]);
      expect(await turn()).toHaveLength(6);
    });

    test("of a target that is disabled, deleted or unknown are cancelled, in steps", async () => {
      const { store, form, submit, all } = await begin();
      const [on, off] = [targetRecord(form.key), targetRecord(form.key, { enabled: false })];
      await apply(store, { change: "insertTarget", target: on }, { change: "insertTarget", target: off });
      await submit(to(on.id), to(off.id), to("gone"), to("a@example.com", "notification"));
      await submit(to(off.id));
      const steps = [];
      do steps.push(await store.deliveries.cancelTargetless(NOW, 2));
      while (steps.at(-1));
      expect(steps).toEqual([true, false]);
      const cancelled = (await all()).filter(({ status }) => status === "cancelled");
      expect(cancelled.map(({ target }) => target).toSorted()).toEqual([off.id, off.id, "gone"].toSorted());
      expect(cancelled[0]).toMatchObject({ code: null, error: "the target is disabled or was deleted" });
    });

    test("are retried by id or where they failed, with all attempts before them", async () => {
      const { store, form, submit, turn, all } = await begin();
      const [one, two] = [to("t"), to("u")];
      await submit(one, two);
      await turn();
      const failed = { status: "failed" as const, attempts: 10, dueAt: NOW + 1000, code: 500, error: "no" };
      await turn({
        settled: [
          { ...failed, id: one.id },
          { ...failed, id: two.id },
        ],
      });
      expect(await store.deliveries.retryFailed({ formKeys: ["another"], projects: [] }, NOW, 10)).toBe(0);
      expect(await store.deliveries.retryFailed({ formKeys: [form.key], projects: [] }, NOW + 5, 1)).toBe(1);
      expect(await store.deliveries.retryFailed({ formKeys: null, projects: null }, NOW + 5, 10)).toBe(1);
      expect((await all()).map(({ status, attempts }) => [status, attempts])).toEqual([
        ["queued", 0],
        ["queued", 0],
      ]);
      await turn({ now: NOW + 5 });
      await turn({ settled: [{ ...failed, id: one.id }] });
      expect(await codeOf(store.deliveries.retry([one.id, nextId()], NOW))).toBe("not_found");
      expect(await store.deliveries.find(one.id)).toMatchObject({ status: "failed" });
      await store.deliveries.retry([one.id], NOW);
      expect(await store.deliveries.find(one.id)).toMatchObject({ status: "queued", attempts: 0 });
    });

    test("are removed some time after they ended, queued ones never", async () => {
      const { store, submit, turn, all } = await begin();
      const ended = [to("t"), to("u"), to("v")];
      await submit(...ended, to("w"));
      await turn({ limit: 3 });
      const results = (["delivered", "failed", "cancelled"] as const).map((status, index) => ({
        id: ended[index]!.id,
        status,
        attempts: 1,
        dueAt: NOW + index,
        ...NOTHING,
      }));
      await turn({ settled: results, limit: 0 });
      expect(await store.deliveries.clearEnded(NOW + 1, NOW + 2, 10)).toBe(false);
      expect((await all()).map(({ status }) => status).toSorted()).toEqual(["cancelled", "queued"]);
      await store.deliveries.clearEnded(NOW + 86_400_000, NOW + 86_400_001, 10);
      expect((await all()).map(({ status }) => status)).toEqual(["queued"]);
    });

    test("that ended and were removed are not made again as their submission is marked as spam and back", async () => {
      const { store, submit, turn, all } = await begin();
      const delivery = to("t");
      const id = await submit(delivery);
      await turn();
      const delivered = {
        id: delivery.id,
        status: "delivered" as const,
        attempts: 1,
        dueAt: NOW,
        ...NOTHING,
      };
      await turn({ settled: [delivered], limit: 0 });
      await store.deliveries.clearEnded(NOW, NOW + 1, 10);
      expect(await all()).toEqual([]);
      await store.submissions.mark([id], "spam", {}, BY);
      expect(await store.submissions.mark([id], "inbox", { [id]: [to("t")] }, BY)).toEqual([id]);
      expect(await all()).toEqual([]);
    });

    test("that were cancelled are kept as long as their submission is spam, and queued again after it", async () => {
      const { store, submit, turn, all } = await begin();
      const [spam, other] = [to("t"), to("t")];
      const id = await submit(spam);
      await submit(other);
      await store.submissions.mark([id], "spam", {}, BY);
      await turn();
      const cancelled = { status: "cancelled" as const, attempts: 1, dueAt: NOW, ...NOTHING };
      await turn({ settled: [spam, other].map(({ id }) => ({ ...cancelled, id })), limit: 0 });
      expect(await store.deliveries.clearEnded(NOW, NOW + 1000, 10)).toBe(false);
      expect((await all()).map((each) => each.id)).toEqual([spam.id]);
      expect(await store.deliveries.clearEnded(NOW + 1000, NOW + 2000, 1)).toBe(true);
      await store.submissions.mark([id], "archived", { [id]: [to("t"), to("u")] }, BY);
      const queued = { id: spam.id, status: "queued", attempts: 0, nextAt: new Date(BY.at).toISOString() };
      expect(await all()).toMatchObject([queued]);
    });

    test("are listed by form, submission and status, newest first, in pages", async () => {
      const { store, form, submit, turn } = await begin();
      const other = await addForm(store, fresh());
      await store.submissions.insert(submissionTo(other.key, { deliveries: [to("t")] }));
      const submission = await submit(to("t"), to("u"));
      await submit(to("v"));
      const query = {
        limit: 2,
        before: null,
        formKeys: [form.key],
        projects: [],
        submission: null,
        status: null,
      };
      const page = await store.deliveries.page(query);
      expect(page.items.map(({ target }) => target)).toEqual(["v", "u"]);
      expect((await store.deliveries.page({ ...query, before: page.next })).items).toHaveLength(1);
      const own = await store.deliveries.page({ ...query, formKeys: null, projects: null, submission });
      expect(own.items.map(({ target }) => target)).toEqual(["u", "t"]);
      const inStatus = async (status: DeliveryStatus) =>
        (await store.deliveries.page({ ...query, status })).items.map(({ target }) => target);
      const [last] = await turn({ settled: [], blocked: ["t", "u"] });
      expect(await inStatus("failed")).toEqual([]);
      expect(await inStatus("queued")).toEqual(["v", "u"]);
      const failure = { status: "failed", attempts: 1, dueAt: NOW, code: 500, error: "no" } as const;
      await turn({ settled: [{ id: last!.id, ...failure }], limit: 0 });
      expect(await inStatus("failed")).toEqual(["v"]);
      expect(await inStatus("queued")).toEqual(["u", "t"]);
    });

    test("have the content of their submission, as it was sent", async () => {
      const { store, form } = await begin();
      const submission = submissionTo(form.key, { data: '{"n":1.10}', deliveries: [to("t")] });
      await store.submissions.insert(submission);
      expect(await store.deliveries.content(submission.id)).toMatchObject({
        form: { slug: form.slug, name: form.name, key: form.key, attach: form.attach },
        submission: {
          id: submission.id,
          data: '{"n":1.10}',
          createdAt: NOW,
          state: "inbox",
          spam: null,
          read: false,
          meta: null,
          flags: null,
          unchecked: null,
          assignee: null,
          labels: [],
          files: [],
        },
        spamCount: 0,
      });
      await apply(store, deleteFormChange(form));
      expect(await store.deliveries.content(submission.id)).toBeUndefined();
    });

    test("admit as many by a pace as it allows, each so long after the one before, and give one back", async () => {
      const { store } = await begin();
      const pace = { hash: "ab".repeat(32), most: 2, within: 1000, apart: 100, waits: true as const };
      const admit = async (at: number) => (await store.deliveries.admit(pace, NOW + at)) - NOW;
      expect([await admit(0), await admit(50), await admit(100)]).toEqual([0, 100, 100]);
      expect([await admit(200), await admit(999)]).toEqual([1000, 1000]);
      await store.deliveries.giveBack(pace, NOW + 100);
      await store.deliveries.giveBack(pace, NOW + 77);
      expect([await admit(200), await admit(300), await admit(1100)]).toEqual([200, 1000, 1100]);
    });

    test("hold a mailbox for one automatic reply until a time, or until that takes it back", async () => {
      const { store, submit, turn, all } = await begin();
      await submit(to("a", "autoreply"), to("b", "autoreply"));
      const [one, other] = (await all()).map(({ id }) => id) as [string, string];
      const hash = new Bun.CryptoHasher("sha256").update("mailbox").digest("hex");
      const hold = (id: string, now: number) => store.deliveries.holdReply(hash, id, now, now + 10);
      expect(await Promise.all([hold(one, NOW), hold(one, NOW)])).toEqual(["held", "held"]);
      expect(await hold(other, NOW + 9)).toBe("pending");
      expect(await hold(one, NOW + 9)).toBe("held");
      expect(await hold(other, NOW + 18)).toBe("pending");
      await store.deliveries.releaseReply(hash, other);
      expect(await hold(other, NOW + 18)).toBe("pending");
      await store.deliveries.releaseReply(hash, one);
      expect(await hold(other, NOW + 18)).toBe("held");
      expect(await hold(one, NOW + 28)).toBe("held");
      const both = await Promise.all([hold(one, NOW + 99), hold(other, NOW + 99)]);
      expect(both.toSorted()).toEqual(["held", "pending"]);
      await turn({ limit: 2 });
      const result = { attempts: 1, code: 250, error: null, status: "delivered", dueAt: NOW } as const;
      await turn({
        settled: [one, other].map((id) => ({ ...result, id, attempt: { at: NOW, duration: 1 } })),
      });
      expect((await Promise.all([hold(one, NOW + 100), hold(other, NOW + 100)])).toSorted()).toEqual([
        "held",
        "sent",
      ]);
      expect(await hold(nextId(), NOW + 999)).toBe("sent");
    });

    test("alert once about a target until the alert expires", async () => {
      const { store } = await begin();
      const claim = (at: number) => store.deliveries.claimAlert("t", at, at + 1000);
      expect([await claim(NOW), await claim(NOW + 999), await claim(NOW + 1000)]).toEqual([
        true,
        false,
        true,
      ]);
    });
  });
}
