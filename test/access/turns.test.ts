import { expect, test } from "bun:test";
import { createFairTurns } from "../../src/access/turns.ts";

/** Works whose ends the test decides, and the order in which they started. */
function openTurns(waiting: number, ofNetwork: number) {
  const turns = createFairTurns(waiting, ofNetwork);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  /** Asks for a turn; fulfils with what became of it. */
  const run = (work: string, { isFirst = false } = {}): Promise<string> =>
    turns({ network: work.charAt(0), isFirst }, async () => {
      started.push(work);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (work.endsWith("!")) throw new Error("failed");
      return "done";
    }).catch((error: { reason?: string; retryAfter?: number; message: string }) =>
      error.reason === undefined ? error.message : `${error.reason} ${error.retryAfter}`,
    );
  /** Ends what runs until nothing is left. */
  const finish = async (all: Promise<string>[]) => {
    const settled = Promise.all(all);
    const over = new AbortController();
    void settled.then(() => over.abort());
    while (!over.signal.aborted) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return settled;
  };
  return { run, started, finish };
}

test("networks take turns, so that one waits for one work of each other network", async () => {
  const { run, started, finish } = openTurns(100, 100);
  const works = ["a1", "a2", "a3", "a4", "b1", "c1", "b2"];
  await finish(works.map((work) => run(work)));
  expect(started).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("networks that go first pass all others, and take turns among themselves", async () => {
  const { run, started, finish } = openTurns(100, 100);
  const first = ["x1", "x2", "y1"].map((work) => [work, { isFirst: true }] as const);
  const all = [...["a1", "a2", "b1"].map((work) => [work, {}] as const), ...first];
  await finish(all.map(([work, sender]) => run(work, sender)));
  expect(started).toEqual(["a1", "x1", "y1", "x2", "a2", "b1"]);
});

test("a network that waits too often is refused alone", async () => {
  const { run, finish } = openTurns(100, 2);
  const works = ["a1", "a2", "a3", "a4", "b1", "b2"];
  const results = await finish(works.map((work) => run(work)));
  expect(results).toEqual(["done", "done", "done", "sign-in-busy 1", "done", "done"]);
});

test("where all places are taken, the newest work of the network with the most makes room", async () => {
  const { run, finish } = openTurns(4, 4);
  const works = ["a1", "a2", "a3", "a4", "a5", "b1", "c1", "d1"];
  const results = await finish(works.map((work) => run(work)));
  // Of a, one work runs and one is left to wait: nobody has more.
  expect(results).toEqual([
    "done",
    "done",
    "sign-in-busy 1",
    "sign-in-busy 1",
    "sign-in-busy 1",
    "done",
    "done",
    "done",
  ]);
});

test("where each other waits once, a newcomer is refused unless its network goes first", async () => {
  const { run, finish } = openTurns(2, 2);
  const works = [run("a1"), run("b1"), run("c1"), run("d1"), run("x1", { isFirst: true })];
  const results = await finish(works);
  expect(results.filter((result) => result === "sign-in-busy 1")).toHaveLength(2);
  expect(results[3]).toBe("sign-in-busy 1");
  expect(results[4]).toBe("done");
});

test("one that fails makes way for the next", async () => {
  const { run, started, finish } = openTurns(100, 100);
  const works = ["a1!", "a2", "b1", "b2"].map((work) => run(work));
  expect(started).toEqual(["a1!"]);
  expect(await finish(works)).toEqual(["failed", "done", "done", "done"]);
  expect(await finish([run("a3"), run("a4")])).toEqual(["done", "done"]);
});
