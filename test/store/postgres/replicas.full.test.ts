import { describe, expect, test } from "bun:test";
import { startJobs } from "../../../src/base/jobs.ts";
import { createOutbox } from "../../../src/delivery/outbox.ts";
import { scheduleJob } from "../../../src/flags/schedule/schedule-job.ts";
import { scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import { startRamp } from "../../../src/flags/ramps/ramps.ts";
import { stepDue } from "../../../src/flags/ramps/stepping.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { createReads, neverRead } from "../../../src/flags/reads/reads.ts";
import { createSnapshots } from "../../../src/flags/reads/snapshots.ts";
import { expiryJob, removalJob } from "../../../src/forms/keeping/removal.ts";
import { retentionJob } from "../../../src/forms/keeping/retention.ts";
import { searchJob } from "../../../src/forms/inbox/search-index.ts";
import { addNoticeTarget } from "../../../src/projects/notice-targets.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { createConnections } from "../../../src/store/postgres/connection.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import type { ClockedApp } from "../../support/app.ts";
import { addForm, apply } from "../../support/records/apply.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeOutgoing, webhooksOf } from "../../support/peers/outgoing.ts";
import { IS_POSTGRES_HERE, databaseOf, execute, freshDatabase } from "../../support/postgres/postgres.ts";
import { nextId, submissionTo, targetRecord } from "../../support/records/records.ts";
import { openReplicas } from "../../support/postgres/replicas.ts";

const DAY = 86_400_000;
const HOOK = "https://example.com/hook";

describe.if(IS_POSTGRES_HERE)("three replicas whose jobs run at the same time", () => {
  test("make each scheduled change once, remove what is too old, index and count everything once", async () => {
    const apps = await openReplicas(3);
    const [first, second] = apps as [(typeof apps)[0], (typeof apps)[0]];
    const { store, clock } = first;
    const { environments } = await createProject(first, OPERATOR, { slug: "shop", environments: ["live"] });
    const place = { project: "shop", environment: "live", flag: "sale" };
    await setFlag(first, OPERATOR, place, { enabled: false, payload: "0" });
    const changes = 4;
    for (let index = 1; index <= changes; index += 1)
      await scheduleChange(second, OPERATOR, place, {
        patch: { payload: String(index) },
        at: clock.now + index,
      });
    const form = await addForm(store, "form", { retention: (10 * DAY) / 1000 });
    const old = Array.from({ length: 30 }, () => submissionTo(form.key, { createdAt: clock.now - 11 * DAY }));
    const young = Array.from({ length: 30 }, () => submissionTo(form.key, { createdAt: clock.now }));
    await Promise.all([...old, ...young].map((each) => store.submissions.insert(each)));
    const reads = apps.map((app) => createReads(app.store));
    for (const each of reads)
      for (let count = 0; count < 5; count += 1)
        for (const slug of [null, "sale"]) each.note(neverRead(), environments[0]!.key, slug, clock.now);
    const problems: unknown[] = [];
    const report = (problem: unknown) => void problems.push(problem);
    clock.now += 1000;

    const running = apps.map((app, index) =>
      startJobs(
        [
          scheduleJob(app, report),
          removalJob(app, report),
          expiryJob(app),
          retentionJob(app, () => {}),
          searchJob(app),
          ...reads[index]!.jobs,
        ],
        app.now,
        report,
      ),
    );
    await eventually("the jobs to be done", async () => {
      const { missing, removals } = await store.submissions.indexBacklog();
      const isIndexed = missing === 0 && !removals;
      const isScheduled = (await store.scheduled.nextAt()) !== null;
      return isIndexed && !isScheduled && (await store.submissions.count(form.key)) === young.length;
    });
    await Promise.all(running.map((jobs) => jobs.stop()));
    await Promise.all(reads.map((each) => each.flush()));

    expect(problems).toEqual([]);
    expect((await store.flags.find(place))!.payload).toBe(JSON.stringify(String(changes)));
    const { items } = await store.changes.page("shop", { limit: 100, kind: "flag" });
    const times = items.map(({ at }) => at - clock.now + 1000);
    expect(times.toSorted((a, b) => a - b)).toEqual(Array.from({ length: changes + 1 }, (_, index) => index));
    expect(await store.submissions.wrongCounts()).toEqual([]);
    const hour = Math.floor(clock.now / 3_600_000);
    const sums = await store.tallies.sum({ kind: "reads", from: hour, to: hour + 1 });
    expect(sums.map(({ variant, count }) => `${variant} ${count}`).toSorted()).toEqual(["all 15", "one 15"]);
  });

  test("make each step of a ramp once, with one notice, however many find it due", async () => {
    const apps = await openReplicas(3);
    const [{ store, clock }] = apps as [ClockedApp];
    await createProject(apps[0]!, OPERATOR, { slug: "shop", environments: ["live"] });
    const place = { project: "shop", environment: "live", flag: "sale" };
    await setFlag(apps[0]!, OPERATOR, place, {});
    const outgoing = fakeOutgoing();
    await addNoticeTarget(apps[0]!, OPERATOR, "shop", { target: HOOK, events: ["ramp.*"] }, outgoing);
    const shares = [1, 5, 10, 50, 100];
    await startRamp(apps[0]!, OPERATOR, place, { variant: "on", to: shares, every: 60 });
    const reported: string[] = [];
    for (const _ of shares) {
      clock.now += 60_000;
      await Promise.all(apps.flatMap((app) => [1, 2].map(() => stepDue(app, (text) => reported.push(text)))));
    }
    expect(reported).toEqual([]);
    const { ramp } = (await store.ramps.find(place))!;
    expect(ramp).toMatchObject({ status: "completed", share: 100 });
    const { items } = await store.deliveries.page({
      limit: 100,
      before: null,
      formKeys: [],
      projects: ["shop"],
      submission: null,
      status: null,
    });
    const events = items.map(({ event }) => event!).toSorted();
    expect(events).toEqual(["ramp.ended", ...shares.map(() => "ramp.stepped")]);
    const history = (await store.changes.page("shop", { limit: 100 })).items;
    const steps = history.filter(({ kind, name }) => kind === "flag" && name === "sale");
    expect(steps).toHaveLength(1 + shares.length);
    // A step is two revisions, of the flag and of its ramp: those that came late have stored nothing.
    expect(steps[0]!.revision - steps.at(-2)!.revision).toBe(2 * (shares.length - 1));
  });

  test("make a change that was scheduled elsewhere once somebody reads there for the first time", async () => {
    const [unread, other] = (await openReplicas(2)) as [ClockedApp, ClockedApp];
    const { clock, store } = unread;
    const { key, environments } = await createProject(other, OPERATOR, {
      slug: "shop",
      environments: ["live"],
    });
    const place = { project: "shop", environment: "live", flag: "sale" };
    await setFlag(other, OPERATOR, place, { enabled: false });
    const checked = Promise.withResolvers<void>();
    const schedule = scheduleJob(unread, () => {});
    const next = async () => schedule.next!().finally(checked.resolve);
    const jobs = startJobs([{ ...schedule, next }], unread.now, () => {}, 3_600_000);
    unread.watch.onChange(() => jobs.wake());
    await checked.promise;

    await scheduleChange(other, OPERATOR, place, { patch: { enabled: true }, at: clock.now + 1 });
    clock.now += 1000;
    const find = createSnapshots(unread.watch, store, async (selection) => selection.flags());
    const read = async () => (await find(key, environments[0]!.key))?.[0]?.enabled;
    await eventually("the change", read);
    await jobs.stop();
  });

  test("deliver each submission once, and what a killed one has leased after its lease", async () => {
    const apps = await openReplicas(3);
    const { store, clock } = apps[0]!;
    const form = await addForm(store, "form");
    const targets = [targetRecord(form.key), targetRecord(form.key)];
    await apply(store, ...targets.map((target) => ({ change: "insertTarget" as const, target })));
    const outgoing = fakeOutgoing();
    const errors: unknown[] = [];
    const outboxOf = (app: (typeof apps)[0], holder: string) =>
      createOutbox(
        app,
        {
          holder,
          outgoing: async () => outgoing,
          titleOf: () => "",
          inWords: () => null,
          files: { url: async () => "", open: async () => new Blob([]).stream() },
          retryDelays: [5],
          report: {
            attempted: () => {},
            error: (error) => errors.push(error),
            failed: (...all) => errors.push(all),
          },
        },
        () => {},
      );
    const submissions = Array.from({ length: 40 }, () =>
      submissionTo(form.key, {
        createdAt: clock.now,
        deliveries: targets.map(({ id }) => ({ id: nextId(), kind: "webhook", target: id })),
      }),
    );
    await Promise.all(submissions.map((each) => store.submissions.insert(each)));
    const turn = {
      now: clock.now,
      databaseNow: clock.now,
      leaseUntil: clock.now + 30_000,
      settled: [],
      renewed: [],
      blocked: [],
      after: null,
    };
    const lost = await store.deliveries.turn({ ...turn, holder: "killed", perLane: 3, limit: 6 });
    expect(lost).toHaveLength(6);

    // Clocks that differ by more than a lease takes.
    const skewed = apps.map((app, index) => ({ ...app, now: () => clock.now + index * 40_000 }));
    await Promise.all(skewed.map((app, index) => outboxOf(app, `replica-${index}`).job.run()));
    expect(errors).toEqual([]);
    const ids = () => webhooksOf(outgoing).map(({ id }) => id);
    expect(ids()).toHaveLength(74);
    expect(new Set([...ids(), ...lost.map(({ id }) => id)]).size).toBe(80);

    clock.now += 30_000;
    await Promise.all(apps.map((app, index) => outboxOf(app, `later-${index}`).job.run()));
    expect(new Set(ids()).size).toBe(80);
    expect(ids()).toHaveLength(80);
    expect(await store.deliveries.nextAt([])).toBeNull();
  });

  test("mark the same submissions at the same time, and import into the same form", async () => {
    const apps = await openReplicas(2);
    const { store } = apps[0]!;
    const form = await addForm(store, "form");
    const imported = Array.from({ length: 150 }, (_, index) => ({
      id: nextId(),
      data: JSON.stringify({ index, nul: "\0" }),
      createdAt: Date.parse("2026-01-01T00:00:00.000Z"),
      state: "inbox" as const,
      spam: null,
      read: false,
      meta: null,
    }));
    const results = await Promise.all(apps.map((app) => app.store.submissions.import(form.key, imported)));
    expect(results.map((each) => each.imported).toSorted((a, b) => a - b)).toEqual([0, 150]);
    const ids = imported.slice(0, 30).map(({ id }) => id);
    const by = { who: "ann", at: 1 };
    const changed = await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const some = index % 3 === 0 ? ids.toReversed() : ids;
        return apps[index % 2]!.store.submissions.mark(some, index % 5 === 0 ? "archived" : "inbox", {}, by);
      }),
    );
    // Whichever comes first archives a submission that was in the inbox until then.
    const archived = changed.filter((_, index) => index % 5 === 0).flat();
    expect(new Set(archived)).toEqual(new Set(ids));
    expect(await store.submissions.wrongCounts()).toEqual([]);
    expect(await store.submissions.count(form.key)).toBe(150);
  });
});

describe.if(IS_POSTGRES_HERE)("a flag that another replica deletes while something refers to it", () => {
  test.each(["a feedback", "a read"])("%s is ignored", async (what) => {
    const url = await freshDatabase();
    const [app] = await openReplicas(1, url);
    const { store, clock } = app!;
    const { key, environments } = await createProject(app!, OPERATOR, {
      slug: "shop",
      environments: ["live"],
    });
    const environmentKey = environments[0]!.key;
    await setFlag(app!, OPERATOR, { project: "shop", environment: "live", flag: "sale" }, { enabled: true });
    const refer = (): Promise<unknown> => {
      const at = clock.now;
      if (what === "a read") return store.flags.markRead([{ environmentKey, slug: "sale", at }]);
      const given = {
        id: nextId(),
        projectKey: key,
        environmentKey,
        flag: "sale",
        mood: "HAPPY",
        rating: 4,
      } as const;
      const hash = "00".repeat(32);
      const rest = { description: null, metadata: null, createdAt: at };
      return store.feedback.insert({ ...given, ...rest }, { hash, expiresAt: at + 60_000 });
    };
    const other = createConnections(parseDatabaseUrl(url));
    let referring: Promise<unknown> | undefined;
    await other.transaction("", async (query) => {
      await query("DELETE FROM flags");
      referring = refer();
      const waiting =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      await eventually("a wait for the deletion", async () => (await query(waiting)).rows.length > 0);
    });
    expect((await referring) ?? null).toBeNull();
    await other.close();
  });
});

describe.if(IS_POSTGRES_HERE)("a replica whose database a newer release migrates", () => {
  test("goes on beside a schema that only adds, and ends beside any other", async () => {
    const url = await freshDatabase();
    const [address, database] = [parseDatabaseUrl(url), databaseOf(url)];
    let isEnded = false;
    const store = await openPostgresStore(address, { onNewerSchema: () => (isEnded = true) });
    await execute("UPDATE formflag_meta SET schema = schema + 1, beside = 1", { database });
    await store.readVersion();
    expect(isEnded).toBe(false);
    await execute("UPDATE formflag_meta SET schema = schema + 1", { database });
    await store.readVersion();
    expect(isEnded).toBe(true);
    await store.close();
  });
});
