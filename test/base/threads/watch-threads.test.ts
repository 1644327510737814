import { describe, expect, test } from "bun:test";
import { watchChanges } from "../../../src/base/watch.ts";
import type { Versions } from "../../../src/base/changes.ts";
import { createVersionMemory, openVersion } from "../../../src/base/threads/shared-version.ts";

/** A database of this machine, and two threads that watch it. */
function openThreads() {
  const memory = createVersionMemory();
  const clock = { now: 1000 };
  const database = { version: 1, access: 1, reads: 0 };
  const open = () => {
    const watchers: (() => void)[] = [];
    const store = {
      staleness: 2,
      watch: (changed: () => void) => void watchers.push(changed),
      readVersion: async (): Promise<Versions> => {
        database.reads += 1;
        return { version: database.version, access: database.access };
      },
    };
    const version = openVersion(memory, { early: () => clock.now, late: () => clock.now });
    const watch = watchChanges(store, undefined, undefined, undefined, { version });
    const change = () => {
      database.version += 1;
      for (const changed of watchers) changed();
    };
    return { watch, change };
  };
  return { one: open(), other: open(), clock, database };
}

describe("threads that watch one database", () => {
  test("trust the look of another thread, for as long as its own", async () => {
    const { one, other, clock, database } = openThreads();
    await one.watch.current();
    expect(await other.watch.current()).toMatchObject({ version: 1 });
    expect(database.reads).toBe(1);
    expect([one.watch.counts().succeeded, other.watch.counts().succeeded]).toEqual([1, 0]);
    clock.now += 2;
    expect([one.watch.known(), other.watch.known()]).toEqual([undefined, undefined]);
    await Promise.all([other.watch.current(), one.watch.current()]);
    expect(other.watch.known()).toMatchObject({ version: 1 });
  });

  test("know a change by one of them before it is answered", async () => {
    const { one, other } = openThreads();
    await one.watch.current();
    await other.watch.current();
    expect(other.watch.known()).toMatchObject({ version: 1 });
    one.change();
    expect(other.watch.known()).toBeUndefined();
    expect(await other.watch.current()).toMatchObject({ version: 2 });
  });

  test("take no answer back: what one has found counts for all at once", async () => {
    const { one, other, database } = openThreads();
    await one.watch.current();
    await other.watch.current();
    database.version += 1;
    expect(await one.watch.current(true)).toMatchObject({ version: 2 });
    expect(other.watch.known()).toBeUndefined();
    expect(await other.watch.current()).toMatchObject({ version: 2 });
    expect(one.watch.known()).toMatchObject({ version: 2 });
  });

  test("do not trust a look that began before a change", async () => {
    const { one, other } = openThreads();
    const looking = one.watch.current();
    other.change();
    await looking;
    expect([one.watch.known(), other.watch.known()]).toEqual([undefined, undefined]);
  });
});
