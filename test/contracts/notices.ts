import { describe, expect, test } from "bun:test";
import type { SetupChange } from "../../src/documents/setup.ts";
import type { NoticeContent, OutboxTurn } from "../../src/delivery/store.ts";
import type { TargetRecord } from "../../src/delivery/target.ts";
import { dropFlag, dropScheduled, planScheduled } from "../../src/flags/plan.ts";
import { planDeletion, planUpdate } from "../../src/projects/plan.ts";
import { addProject, applyBy } from "../support/records/apply.ts";
import { NOW, noticeTarget } from "../support/records/records.ts";
import { type Driver, fresh, opener } from "./driver.ts";

type Json = { type: string; timestamp: string; data: Record<string, unknown> };

const TURN: OutboxTurn = {
  holder: "a",
  now: NOW,
  databaseNow: NOW,
  leaseUntil: NOW + 30_000,
  settled: [],
  renewed: [],
  blocked: [],
  after: null,
  perLane: 100,
  limit: 100,
};

/** What the product relies on in every driver for notices of a project. */
export function noticesContract(driver: Driver): void {
  describe(`notices, kept by ${driver.name},`, async () => {
    const open = opener(driver);
    const begin = async () => {
      const store = await open();
      const project = fresh("project");
      const made = await addProject(store, project, "production", "staging");
      const add = async (more: Partial<TargetRecord> = {}) => {
        const target = noticeTarget(project, more);
        await applyBy({ who: "ann", at: NOW }, store, { change: "insertTarget", target });
        return target.id;
      };
      const by = (...changes: SetupChange[]) =>
        applyBy({ who: "ann", at: NOW, why: "a try" }, store, ...changes);
      const listed = async () =>
        (
          await store.deliveries.page({
            limit: 500,
            before: null,
            formKeys: [],
            projects: [project],
            submission: null,
            status: null,
          })
        ).items;
      const contentOf = async (id: string) => (await store.deliveries.notices(id))!;
      const bodies = ({ notices }: NoticeContent) => notices.map((text) => JSON.parse(text) as Json);
      /** The events for each target, in the order in which they were queued. */
      const eventsFor = async (target: string) =>
        (await listed()).filter((each) => each.target === target).map(({ event }) => event!);
      return { store, project, ...made, add, by, listed, contentOf, bodies, eventsFor };
    };

    test("are queued with the change, one for each target, as JSON", async () => {
      const { store, project, by, add, listed, contentOf, bodies, flagChange } = await begin();
      const [one, other] = [await add(), await add({ kind: "slack" })];
      await by(await flagChange("production", "search", { enabled: true }));
      const { version } = await store.readVersion();
      const items = await listed();
      expect(items.map(({ target }) => target).toSorted()).toEqual([one, other].toSorted());
      expect(items.find(({ target }) => target === one)).toEqual({
        id: expect.any(String),
        submission: null,
        project,
        form: null,
        environment: "production",
        event: "flag.changed",
        kind: "webhook",
        target: one,
        status: "queued",
        attempts: 0,
        nextAt: new Date(NOW).toISOString(),
        code: null,
        error: null,
      });
      const content = await contentOf(items[0]!.id);
      expect(content).toMatchObject({ project, since: NOW, until: NOW, count: 1 });
      expect(bodies(content)).toEqual([
        {
          type: "flag.changed",
          timestamp: new Date(NOW).toISOString(),
          data: {
            project,
            environment: "production",
            name: "search",
            revision: version,
            who: "ann",
            why: "a try",
            changes: [
              { field: "enabled", before: null, after: true },
              { field: "expiredAt", before: null, after: null },
              { field: "description", before: null, after: "" },
            ],
          },
        },
      ]);
      await by(await flagChange("production", "search", { enabled: false }));
      const newest = bodies(await contentOf((await listed())[0]!.id));
      expect(newest[0]!.data["changes"]).toEqual([{ field: "enabled", before: true, after: false }]);
    });

    test("reach the targets of their environment and events, and are of no other project", async () => {
      const { by, add, eventsFor, flagChange, segmentChange, project } = await begin();
      const another = await begin();
      const all = await add();
      const targets = {
        production: await add({ environment: "production" }),
        staging: await add({ environment: "staging" }),
        segments: await add({ events: ["segment.*"] }),
        off: await add({ enabled: false }),
        elsewhere: await another.add(),
      };
      await by(await flagChange("production", "search"), await segmentChange("production", "beta", "true"));
      await by(planUpdate(project, { ...ENVIRONMENT, slug: "staging" }, { name: "Another" }));
      expect((await eventsFor(all)).toSorted()).toEqual([
        "environment.changed",
        "flag.changed",
        "segment.changed",
      ]);
      expect((await eventsFor(targets.production)).toSorted()).toEqual(["flag.changed", "segment.changed"]);
      expect(await eventsFor(targets.staging)).toEqual(["environment.changed"]);
      expect(await eventsFor(targets.segments)).toEqual(["segment.changed"]);
      expect(await eventsFor(targets.off)).toEqual([]);
      expect(await another.listed()).toEqual([]);
    });

    test("of what concerns every environment reach all, and name none", async () => {
      const { project, by, add, listed, contentOf, bodies, find, flagChange } = await begin();
      await by(await flagChange("production", "search"));
      await add({ environment: "staging" });
      const before = (await find("production", "search"))!;
      await by(dropFlag(project, "search", new Map([["production", before]])));
      const [delivery] = await listed();
      expect(delivery).toMatchObject({ environment: null, event: "flag.changed" });
      const [{ data }] = bodies(await contentOf(delivery!.id)) as [Json];
      expect(data).toMatchObject({ environment: null, name: "search" });
      expect(data["changes"]).toMatchObject([{ field: "environments", after: null }]);
    });

    test("of scheduled changes name them, and why they were dropped", async () => {
      const { project, by, add, listed, contentOf, bodies, flagChange } = await begin();
      await by(await flagChange("production", "search"));
      await add();
      const scheduled = {
        id: "aaaa-bbbb-cccc",
        environment: "production",
        flag: "search",
        patch: { enabled: true },
        at: NOW + 1000,
        who: "ann",
        why: null,
        createdAt: NOW,
      };
      await by(planScheduled(project, scheduled));
      await by(dropScheduled(project, scheduled, "it was cancelled", false));
      const found = (await listed()).map(({ id }) => contentOf(id).then(bodies));
      const data = (await Promise.all(found)).map(([notice]) => notice!.data);
      const common = { scheduled: scheduled.id, name: "search", environment: "production" };
      expect(data).toContainEqual(
        expect.objectContaining({
          ...common,
          dropped: null,
          changes: [{ field: "enabled", before: null, after: true }],
        }),
      );
      expect(data).toContainEqual(
        expect.objectContaining({
          ...common,
          dropped: "it was cancelled",
          changes: [{ field: "enabled", before: true, after: null }],
        }),
      );
    });

    test("of a change that is refused or has a notice of its own are none, or are that", async () => {
      const { store, by, add, listed, contentOf, bodies, flagChange } = await begin();
      await add();
      const put = await flagChange("production", "search", { enabled: true });
      const { version } = await store.readVersion();
      const refused = store.apply([put], version - 1, { who: "ann", at: NOW }).catch(() => "refused");
      expect(await refused).toBe("refused");
      expect(await listed()).toEqual([]);
      await by({ ...put, notice: null } as SetupChange);
      expect(await listed()).toEqual([]);
      const again = await flagChange("production", "search", { enabled: false });
      await by({
        ...again,
        notice: { type: "ramp.stepped", members: { ramp: { share: 10 } } },
      } as SetupChange);
      const [delivery] = await listed();
      expect(delivery!.event).toBe("ramp.stepped");
      const [{ data }] = bodies(await contentOf(delivery!.id)) as [Json];
      expect(data).toMatchObject({
        name: "search",
        changes: [{ field: "enabled", before: true, after: false }],
        ramp: { share: 10 },
      });
    });

    test("beyond 20 of one transaction are a digest, with the first 100", async () => {
      const { by, add, listed, contentOf, flagChange } = await begin();
      const [all, some] = [await add(), await add({ environment: "staging" })];
      const many = Array.from({ length: 130 }, (_, index) => flagChange("production", `f-${index}`));
      const few = Array.from({ length: 20 }, (_, index) => flagChange("staging", `g-${index}`));
      await by(...(await Promise.all([...many, ...few])));
      const items = await listed();
      expect(items.filter(({ target }) => target === some)).toHaveLength(20);
      const [digest, ...others] = items.filter(({ target }) => target === all);
      expect(others).toEqual([]);
      expect(digest).toMatchObject({ event: "digest", environment: null });
      const content = await contentOf(digest!.id);
      expect(content).toMatchObject({ event: "digest", since: NOW, until: NOW, count: 150 });
      expect(content.notices).toHaveLength(100);
      expect(content.notices[99]).toContain('"f-99"');
    });

    test("are gathered by a target until its first attempt, and then anew", async () => {
      const { store, project, by, add, listed, contentOf, flagChange } = await begin();
      const target = await add({ digest: 60 });
      await by(await flagChange("production", "a"));
      await by(await flagChange("production", "b"), await flagChange("production", "c"));
      const [digest, ...others] = await listed();
      expect(others).toEqual([]);
      expect(digest).toMatchObject({ event: "digest", nextAt: new Date(NOW + 60_000).toISOString() });
      const waiting = { project, target, at: NOW + 60_000, count: 3 };
      expect(await store.deliveries.digests([project], 9)).toEqual([waiting]);
      expect(await store.deliveries.digests(["nowhere"], 9)).toEqual([]);
      const mine = async (more: Partial<OutboxTurn>) =>
        (await store.deliveries.turn({ ...TURN, ...more })).filter((each) => each.target === target);
      expect(await mine({ now: NOW + 59_999 })).toEqual([]);
      const late = { now: NOW + 60_000, databaseNow: NOW + 60_000, leaseUntil: NOW + 90_000 };
      expect(await mine(late)).toMatchObject([{ id: digest!.id, submission: null }]);
      expect(await contentOf(digest!.id)).toMatchObject({ count: 3, since: NOW, until: NOW + 60_000 });
      await by(await flagChange("production", "d"));
      expect(await listed()).toHaveLength(2);
      expect(await contentOf(digest!.id)).toMatchObject({ count: 3 });
      await by(await flagChange("production", "e"));
      expect(await listed()).toHaveLength(2);
    });

    test("begin anew once a digest was cancelled", async () => {
      const { store, by, add, listed, flagChange } = await begin();
      const id = await add({ digest: 60 });
      const record = (await store.targets.find(id))!;
      await by(await flagChange("production", "a"));
      await by({ change: "updateTarget", target: { ...record, enabled: false } });
      while (await store.deliveries.cancelTargetless(NOW + 1000, 100));
      await by({ change: "updateTarget", target: { ...record, enabled: true } });
      await by(await flagChange("production", "b"));
      expect((await listed()).map(({ status }) => status)).toEqual(["queued", "cancelled"]);
    });

    test("of flags that expired are given once, to the targets that were there", async () => {
      const { store, project, by, add, listed, contentOf, bodies, flagChange } = await begin();
      const target = await add();
      const expires = NOW + 1000;
      await by(await flagChange("production", "on", { enabled: true, expiresAt: expires, revision: 7 }));
      await by(await flagChange("staging", "off", { expiresAt: expires + 1 }));
      await add({ createdAt: expires + 5 });
      const mine = async (now: number, limit = 100) =>
        (await store.flagNotices.expire(now, limit)).projects.includes(project);
      expect(await mine(expires - 1)).toBe(false);
      expect(await store.flagNotices.nextExpiry()).toBe(expires);
      expect(await store.flagNotices.expire(expires + 1, 1)).toEqual({ projects: [project], isLeft: true });
      expect(await mine(expires + 1)).toBe(true);
      expect(await mine(expires + 1)).toBe(false);
      expect(await store.flagNotices.nextExpiry()).toBeNull();
      const expired = (await listed()).filter(({ event }) => event === "flag.expired");
      expect(expired.map((each) => [each.target, each.environment])).toEqual([
        [target, "staging"],
        [target, "production"],
      ]);
      const [off, on] = await Promise.all(expired.map(async ({ id }) => bodies(await contentOf(id))[0]!));
      expect(on).toMatchObject({
        timestamp: new Date(expires).toISOString(),
        data: { name: "on", who: "formflag", changes: [{ field: "enabled", before: true, after: false }] },
      });
      expect(off).toMatchObject({ data: { name: "off", changes: [] } });
      await by(await flagChange("production", "on", { expiresAt: expires + 2 }));
      expect(await mine(expires + 2)).toBe(true);
    });

    test.each(["stale", "removable"] as const)(
      "of flags that are %s are given once, until they are not",
      async (what) => {
        const { store, project, by, add, listed, flagChange } = await begin();
        await add();
        await by(await flagChange("production", "a"), await flagChange("production", "b"));
        const since = (slug: string) => ({ slug, since: NOW - 1000, from: NOW });
        const mark = (...slugs: string[]) => store.flagNotices.mark(what, project, slugs.map(since), NOW);
        expect(await store.flagNotices.listening()).toContain(project);
        expect([await mark("a", "gone"), await mark("a"), await mark("a", "b")]).toEqual([1, 0, 1]);
        expect([await mark("b"), await mark("a", "b")]).toEqual([0, 1]);
        const stale = (await listed()).filter(({ event }) => event === `flag.${what}`);
        expect(stale.map(({ environment }) => environment)).toEqual([null, null, null]);
      },
    );

    test("end with their project, and targets with their environment too", async () => {
      const { store, project, by, add, listed, flagChange } = await begin();
      const [all, some] = [await add(), await add({ environment: "staging" })];
      await by(await flagChange("production", "a"));
      const { id } = (await listed())[0]!;
      await by(planDeletion(project, { ...ENVIRONMENT, slug: "staging" }));
      expect(await store.targets.find(some)).toBeUndefined();
      expect(await store.targets.find(all)).toMatchObject({ project, formKey: null });
      await by({ change: "deleteProject", project, history: null });
      expect(await store.targets.find(all)).toBeUndefined();
      expect(await store.deliveries.find(id)).toBeUndefined();
      expect(await store.deliveries.notices(id)).toBeUndefined();
      while (await store.deliveries.cancelTargetless(NOW, 100));
      expect(await store.deliveries.clearEnded(NOW, NOW, 100)).toBe(false);
    });
  });
}

const ENVIRONMENT = {
  name: "An environment",
  key: "aaaa-bbbb-cccc",
  locked: false,
  color: null,
  approvals: 0,
  approveWith: null,
  position: 1,
};
