import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { createCommitStats } from "../../../src/store/commit-stats.ts";
import { type Outcome, createBatches } from "../../../src/store/postgres/batches.ts";

const ONE_AT_A_TIME = { items: 500, bytes: 1000, inFlight: 1 };

/** Batches whose commits end when the test says so. */
function openBatches(waitMs?: number, limits = ONE_AT_A_TIME) {
  const commits: { items: number[]; end: () => void }[] = [];
  const commit = (items: number[]): Promise<Outcome<number>[]> =>
    new Promise((resolve) => {
      commits.push({ items, end: () => resolve(items.map((value) => ({ value }))) });
    });
  return { commits, batches: createBatches(commit, createCommitStats(), limits, waitMs) };
}

/** Runs what the batches have deferred. */
const turn = () => new Promise((resolve) => void setImmediate(resolve));

describe("batches", () => {
  test("hold what arrives while others are under way, and commit that together", async () => {
    const { batches, commits } = openBatches();
    const first = batches.add(1, 1);
    await turn();
    const others = [2, 3, 4].map((item) => batches.add(item, 1));
    commits[0]!.end();
    expect(await first).toBe(1);
    commits[1]!.end();
    expect(await Promise.all(others)).toEqual([2, 3, 4]);
    expect(commits.map(({ items }) => items)).toEqual([[1], [2, 3, 4]]);
    expect(batches.queued()).toEqual({ queued: 0, queuedBytes: 0 });
  });

  test("begin beside another one only where they are as large, or once that has ended", async () => {
    const { batches, commits } = openBatches(undefined, { ...ONE_AT_A_TIME, inFlight: 2 });
    const add = async (...items: number[]) => {
      const added = items.map((item) => batches.add(item, 1));
      await turn();
      return added;
    };
    const sent = () => commits.map(({ items }) => items);
    const first = await add(1, 2, 3);
    const second = [...(await add(4)), ...(await add(5))];
    expect(sent()).toEqual([[1, 2, 3]]);
    second.push(...(await add(6)));
    expect(sent()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    commits[0]!.end();
    await Promise.all(first);
    const third = await add(7);
    expect(sent()).toHaveLength(2);
    commits[1]!.end();
    await Promise.all(second);
    expect(sent().at(-1)).toEqual([7]);
    commits[2]!.end();
    expect(await Promise.all(third)).toEqual([7]);
  });

  test("refuse what waits too long, and finish what is under way", async () => {
    const { batches, commits } = openBatches(10);
    const first = batches.add(1, 1);
    await turn();
    const error = await batches.add(2, 1).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: "unavailable", retryAfter: 1 });
    expect(batches.queued()).toEqual({ queued: 1, queuedBytes: 1 });
    commits[0]!.end();
    expect(await first).toBe(1);
    await batches.drained();
    const last = batches.add(3, 1);
    await turn();
    commits[1]!.end();
    expect(await last).toBe(3);
    expect(commits.map(({ items }) => items)).toEqual([[1], [3]]);
  });

  test("refuse the items of a commit that throws, and go on with the next", async () => {
    const failing = async (items: number[]): Promise<Outcome<number>[]> => {
      if (items.includes(1)) throw new Error("a bug");
      return items.map((value) => ({ value }));
    };
    const batches = createBatches(failing, createCommitStats(), ONE_AT_A_TIME);
    const first = batches.add(1, 1).catch(String);
    await turn();
    const second = batches.add(2, 1);
    expect(await Promise.all([first, second])).toEqual(["Error: a bug", 2]);
    const broken = (): boolean => {
      throw new Error("no state");
    };
    const beside = [batches.add(3, 1), batches.add(4, 1, broken).catch(String), batches.add(5, 1)];
    expect(await Promise.all(beside)).toEqual([3, "Error: no state", 5]);
    expect(batches.queued()).toEqual({ queued: 0, queuedBytes: 0 });
    await batches.drained();
  });
});
