import { describe, expect, test } from "bun:test";
import type { Versions } from "../../../src/base/changes.ts";
import { createPublishedMemory, openPublished } from "../../../src/base/threads/published-version.ts";
import { watchPublished } from "../../../src/base/threads/watch-published.ts";
import { watchChanges } from "../../../src/base/watch.ts";

const STALENESS = 100;

/** The watch of a main thread on a shared database, and that of another thread, by clocks that the test moves. */
function openThreads() {
  const memory = createPublishedMemory();
  const clock = { now: 1000 };
  const now = () => clock.now;
  const database = { version: 1, access: 1, reads: 0, isAway: false };
  const store = {
    staleness: STALENESS,
    changed: [] as (() => void)[],
    watch: (changed: () => void) => void store.changed.push(changed),
    async readVersion(): Promise<Versions> {
      if (database.isAway) throw new Error("away");
      database.reads += 1;
      return { version: database.version, access: database.access };
    },
  };
  const timers: (() => void)[] = [];
  const after = (_: number, run: () => void) => {
    timers.push(run);
    return () => void timers.splice(timers.indexOf(run), 1);
  };
  const published = openPublished(memory);
  const timing = { steady: now, wall: now, after };
  const reports: unknown[] = [];
  const main = watchChanges(store, (error) => reports.push(error), timing, undefined, { published });
  const news: (() => void)[] = [];
  published.onNews(() => {
    for (const tell of news) tell();
  });
  const other = watchPublished(
    openPublished(memory),
    STALENESS,
    { early: now, late: now, wall: now },
    { read: (isForced) => main.current(isForced), onNews: (told) => void news.push(told) },
  );
  const change = () => {
    database.version += 1;
    for (const changed of store.changed) changed();
  };
  /** Does what is due in the background. */
  const tick = async () => {
    for (const run of timers.splice(0)) run();
    await Bun.sleep(0);
  };
  return { main, other, clock, database, change, tick, reports };
}

describe("a thread that has no database", () => {
  test("knows what the main thread has read, for as long as that trusts it", async () => {
    const { main, other, clock, database } = openThreads();
    expect(other.known()).toBeUndefined();
    await main.current();
    expect(other.known()).toMatchObject({ version: 1, access: 1 });
    expect(await other.current()).toMatchObject({ version: 1 });
    expect(database.reads).toBe(1);
    clock.now += STALENESS;
    expect(other.known()).toBeUndefined();
    expect(await other.current()).toMatchObject({ version: 1 });
    expect(database.reads).toBe(2);
    expect(other.counts()).toEqual({ succeeded: 0, failed: 0 });
  });

  test("trusts nothing from before a change of the server, and is told of changes that are found", async () => {
    const { main, other, change } = openThreads();
    let told = 0;
    await other.current();
    other.onChange(() => (told += 1));
    change();
    expect(other.known()).toBeUndefined();
    expect(await other.current()).toMatchObject({ version: 2 });
    expect(told).toBe(1);
    expect(main.known()).toMatchObject({ version: 2 });
  });

  test("reads again where only that counts", async () => {
    const { other, database } = openThreads();
    await other.current();
    database.version = 7;
    expect(await other.current()).toMatchObject({ version: 1 });
    expect(await other.current(true)).toMatchObject({ version: 7 });
  });

  test("keeps the reads of the main thread in the background going while it is used", async () => {
    const { other, clock, database, tick } = openThreads();
    await other.current();
    for (let turn = 0; turn < 200; turn += 1) {
      clock.now += STALENESS / 2;
      await tick();
      expect(other.known()).toBeDefined();
    }
    const { reads } = database;
    for (let turn = 0; turn < 200; turn += 1) {
      clock.now += STALENESS / 2;
      await tick();
    }
    expect(database.reads - reads).toBeLessThan(110);
  });

  test("does not wait while the database is away, says for how long, and that is reported once", async () => {
    const { other, clock, database, reports } = openThreads();
    await other.current();
    database.isAway = true;
    clock.now += STALENESS;
    expect(await other.current().catch((error: Error) => error.message)).toContain("does not answer");
    expect(other.staleFor()).toBe(STALENESS);
    expect(await other.current().catch((error: Error) => error.message)).toContain("does not answer");
    expect(other.last()).toMatchObject({ version: 1 });
    expect(reports).toHaveLength(1);
  });

  test("drops what it has where the database went back to an earlier state", async () => {
    const { other, database } = openThreads();
    database.version = 5;
    const before = await other.current();
    database.version = 4;
    const after = await other.current(true);
    expect(after.generation).toBe(before.generation + 1);
  });
});
