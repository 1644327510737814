import { afterEach, describe, expect, test } from "bun:test";
import { type Job, type Jobs, startJobs } from "../../src/base/jobs.ts";
import { eventually } from "../support/eventually.ts";

const HOUR = 3_600_000;
const started: Jobs[] = [];
const reported: unknown[] = [];
const start = (...jobs: Job[]) => {
  const report = (what: unknown) => void reported.push(what);
  const running = startJobs(jobs, Date.now, report, 0, report);
  started.push(running);
  return running;
};
afterEach(async () => {
  await Promise.all(started.splice(0).map((jobs) => jobs.stop()));
  reported.length = 0;
});

/** A job that counts its runs. */
function counting(every: number, more: Partial<Job> = {}) {
  const count = { runs: 0, checks: 0 };
  const job: Job = {
    name: "counting",
    every,
    next: async () => {
      count.checks += 1;
      return null;
    },
    run: async () => void (count.runs += 1),
    ...more,
  };
  return { count, job };
}

describe("a job", () => {
  test("runs at once, and from then on each time that its interval has passed", async () => {
    const [often, seldom] = [counting(5), counting(HOUR)];
    start(often.job, seldom.job);
    await eventually("three runs", () => often.count.runs >= 3);
    expect(seldom.count.runs).toBe(1);
  });

  test("runs before that when it is due", async () => {
    let due: number | null = Date.now() + 20;
    const { count, job } = counting(HOUR, { next: async () => due });
    const run = async () => {
      count.runs += 1;
      if (count.runs === 2) {
        expect(Date.now()).toBeGreaterThanOrEqual(due!);
        due = null;
      }
    };
    start({ ...job, run });
    await eventually("a second run", () => count.runs === 2);
    expect(due).toBeNull();
  });

  test("checks after a wake whether it is due, and runs only where it is", async () => {
    let due: number | null = null;
    const { count, job } = counting(HOUR);
    const next = async () => {
      count.checks += 1;
      return due;
    };
    const jobs = start({ ...job, next, run: async () => void ((count.runs += 1), (due = null)) });
    await eventually("the first check", () => count.checks === 1);
    jobs.wake();
    await eventually("a second check", () => count.checks === 2);
    expect(count.runs).toBe(1);
    due = Date.now();
    jobs.wake();
    await eventually("a second run", () => count.runs === 2);
  });

  test("that is woken while it checks, checks again", async () => {
    const gate = Promise.withResolvers<void>();
    const { count, job } = counting(HOUR);
    const next = async () => {
      count.checks += 1;
      if (count.checks === 1) await gate.promise;
      return null;
    };
    const jobs = start({ ...job, next });
    await eventually("the first check", () => count.checks === 1);
    jobs.wake();
    gate.resolve();
    await eventually("a second check", () => count.checks === 2);
  });

  test("is woken alone by its name", async () => {
    const [one, other] = [counting(HOUR), counting(HOUR)];
    const jobs = start({ ...one.job, name: "one" }, { ...other.job, name: "other" });
    await eventually("the first checks", () => one.count.checks === 1 && other.count.checks === 1);
    jobs.wake("one");
    await eventually("a second check", () => one.count.checks === 2);
    expect(other.count.checks).toBe(1);
  });

  test("that fails is reported and runs again when its interval has passed, not at once", async () => {
    const failure = new Error("the disk is full");
    const fails = async () => {
      throw failure;
    };
    const [again, later] = [counting(5), counting(HOUR, { run: fails, next: async () => Date.now() })];
    const failsOnce = async () => {
      again.count.runs += 1;
      if (again.count.runs === 1) await fails();
    };
    start({ ...again.job, run: failsOnce }, later.job);
    await eventually("runs after the failure", () => again.count.runs >= 3);
    expect(reported).toEqual([failure, failure, "background work goes on: counting"]);
  });

  test("that fails again and again is reported at each other error, and once it works", async () => {
    const { count, job } = counting(5);
    const run = async () => {
      count.runs += 1;
      if (count.runs <= 6) throw new Error(count.runs <= 3 ? "the disk is full" : "locked");
    };
    const { wake } = start({ ...job, run });
    await eventually("runs after the failures", () => {
      wake();
      return count.runs >= 8;
    });
    expect(reported.map(String)).toEqual([
      "Error: the disk is full",
      "Error: locked",
      "background work goes on: counting",
    ]);
  });

  test("whose check fails is reported, and goes on", async () => {
    const { count, job } = counting(5, { next: () => Promise.reject(new Error("locked")) });
    start(job);
    await eventually("three runs", () => count.runs >= 3);
    expect(reported.map(String)).toEqual(["Error: locked"]);
  });

  test("of an idle process rests for the least time, unless its check says when it is due", async () => {
    const [often, due] = [counting(5), counting(5, { next: async () => Date.now() })];
    const jobs = startJobs([often.job, due.job], Date.now, (error) => void reported.push(error), HOUR);
    started.push(jobs);
    await eventually("three runs", () => due.count.runs >= 3);
    expect(often.count.runs).toBe(1);
  });

  test("of an idle process does not rest while it may not", async () => {
    let isResting = false;
    const { count, job } = counting(5, { mayRest: () => isResting });
    const jobs = startJobs([job], Date.now, (error) => void reported.push(error), HOUR);
    started.push(jobs);
    await eventually("three runs", () => count.runs >= 3);
    isResting = true;
    const { runs } = count;
    await eventually("its last run", () => count.checks > runs);
    expect(count.runs).toBeLessThanOrEqual(runs + 1);
  });

  test("of an idle process that a wake makes run does so once its interval has passed, and rests again", async () => {
    const [often, seldom] = [counting(5, { runsOnWake: true }), counting(HOUR, { runsOnWake: true })];
    const other = counting(5);
    const jobs = startJobs(
      [often.job, seldom.job, other.job],
      Date.now,
      (error) => void reported.push(error),
      HOUR,
    );
    started.push(jobs);
    for (const runs of [1, 2, 3]) {
      await eventually(`run ${runs}`, () => often.count.runs >= runs);
      jobs.wake();
    }
    await eventually("checks of the others", () => seldom.count.checks >= 2 && other.count.checks >= 2);
    expect([seldom.count.runs, other.count.runs]).toEqual([1, 1]);
  });

  test.each([
    ["an hour", HOUR],
    ["more than a timer can wait", 30 * 24 * HOUR],
  ])("goes on where the clock is set back by %s", async (_, back) => {
    let now = Date.now();
    const [often, seldom] = [counting(5), counting(HOUR)];
    const jobs = startJobs(
      [often.job, seldom.job],
      () => now,
      (error) => void reported.push(error),
    );
    started.push(jobs);
    await eventually("two runs", () => often.count.runs >= 2);
    now -= back;
    jobs.wake();
    const { runs } = often.count;
    await eventually("further runs", () => often.count.runs >= runs + 20);
    expect([seldom.count.runs, seldom.count.checks]).toEqual([1, 2]);
  });

  test("that takes long keeps no other from running", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const [slow, quick] = [counting(HOUR, { run: () => promise }), counting(5)];
    start(slow.job, quick.job);
    await eventually("three runs", () => quick.count.runs >= 3);
    resolve();
  });
});

describe("a stop", () => {
  test("waits for the run under way, and starts no other", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { count, job } = counting(1);
    const run = async () => {
      count.runs += 1;
      await promise;
    };
    const jobs = start({ ...job, run });
    await eventually("the run", () => count.runs === 1);
    let isStopped = false;
    const stopping = jobs.stop().then(() => (isStopped = true));
    jobs.wake();
    await new Promise(setImmediate);
    expect(isStopped).toBe(false);
    resolve();
    await stopping;
    expect(count.runs).toBe(1);
  });

  test("wakes those that wait for their next run", async () => {
    const { count, job } = counting(HOUR);
    const jobs = start(job);
    await eventually("the first run", () => count.checks === 1);
    await jobs.stop();
    expect(count.runs).toBe(1);
  });
});
