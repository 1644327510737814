import { describe, expect, test } from "bun:test";
import { AppError } from "../../src/base/errors.ts";
import { createCache } from "../../src/base/changes.ts";
import { watchChanges } from "../../src/base/watch.ts";
import { codeOf } from "../support/refusals.ts";
import { openSharedSetup, openTiming } from "../support/postgres/shared-setup.ts";

/** A watch of a shared database, and a cache that loads the version at which it loads. */
function openWatch() {
  const clocks = openTiming();
  const setup = openSharedSetup();
  const reported: string[] = [];
  const noted: string[] = [];
  const watch = watchChanges(
    setup.store,
    (error) => void reported.push(String(error)),
    clocks.timing,
    (text) => void noted.push(text),
  );
  const find = createCache(watch, async (key) =>
    setup.state.mode === "answers"
      ? `${key} ${setup.state.setup.version}`
      : (await setup.store.readVersion(), ""),
  );
  return { ...clocks, ...setup, watch, reported, noted, find };
}

describe("looks at a shared database", () => {
  test("are made in the background while somebody reads, and no read waits for them", async () => {
    const { advance, state, watch, changeElsewhere } = openWatch();
    await watch.current();
    for (let round = 0; round < 20; round += 1) {
      changeElsewhere();
      await advance(99);
      expect(watch.known()).toBeDefined();
    }
    expect(watch.known()!.version).toBeGreaterThanOrEqual(19);
    expect(state.looks).toBeLessThanOrEqual(41);
  });

  test("end five seconds after the last read, and begin again with the next", async () => {
    const { advance, state, watch, changeElsewhere } = openWatch();
    await watch.current();
    await advance(6000);
    const { looks } = state;
    changeElsewhere();
    await advance(3_600_000);
    expect(state.looks).toBe(looks);
    expect([watch.known(), watch.staleFor()]).toEqual([undefined, 0]);
    expect((await watch.current()).version).toBe(1);
    await advance(60);
    expect(state.looks).toBe(looks + 2);
  });

  test("are trusted for their time on both clocks", async () => {
    const { advance, state, watch } = openWatch();
    await watch.current();
    expect(watch.known()).toBeDefined();
    state.mode = "hangs";
    await advance(99);
    expect(watch.known()).toBeDefined();
    await advance(1);
    expect(watch.known()).toBeUndefined();

    const other = openWatch();
    await other.watch.current();
    other.suspend(100);
    expect(other.watch.known()).toBeUndefined();
  });

  test("are shared by all who wait for one", async () => {
    const { state, watch } = openWatch();
    const seen = await Promise.all(Array.from({ length: 50 }, () => watch.current()));
    expect([new Set(seen).size, state.looks]).toEqual([1, 1]);
  });

  test("that began too early are not enough for who comes later", async () => {
    const { advance, state, watch, changeElsewhere, answerHanging } = openWatch();
    state.mode = "hangs";
    const early = watch.current();
    await advance(150);
    changeElsewhere();
    const late = watch.current();
    state.mode = "answers";
    answerHanging();
    expect([(await early).version, (await late).version]).toEqual([0, 1]);
  });

  test("that began before a change of this process are not enough after it", async () => {
    const { state, watch, change, answerHanging } = openWatch();
    state.mode = "hangs";
    const early = watch.current();
    change();
    state.mode = "answers";
    answerHanging();
    expect((await early).version).toBe(0);
    expect(watch.known()).toBeUndefined();
    expect((await watch.current()).version).toBe(1);
  });

  test("begin anew where they are forced", async () => {
    const { state, watch, changeElsewhere, advance } = openWatch();
    await watch.current();
    await advance(1);
    changeElsewhere();
    expect(watch.known()!.version).toBe(0);
    expect([(await watch.current(true)).version, state.looks]).toEqual([1, 2]);
  });

  test("tell of changes by others once, and of those by this process", async () => {
    const { watch, change, changeElsewhere, advance } = openWatch();
    await watch.current();
    let told = 0;
    const end = watch.onChange(() => (told += 1));
    await advance(200);
    expect(told).toBe(0);
    changeElsewhere();
    await advance(200);
    expect(told).toBe(1);
    change();
    expect(told).toBe(2);
    end();
    change();
    expect(told).toBe(2);
  });

  test("tell of the first one, before which another process may have changed what was read", async () => {
    const { watch, advance } = openWatch();
    let told = 0;
    watch.onChange(() => (told += 1));
    await watch.current();
    await advance(200);
    expect(told).toBe(1);
  });

  test("end with the watch", async () => {
    const { watch, state, advance } = openWatch();
    await watch.current();
    watch.close();
    await advance(1000);
    expect(state.looks).toBe(1);
  });
});

describe("while a shared database does not answer", () => {
  test("what is in memory is found without waiting, and is said to be stale", async () => {
    const { advance, state, watch, find, reported } = openWatch();
    expect(await find("a")).toBe("a 0");
    state.mode = "hangs";
    await advance(100);
    const waiting = find("a");
    await advance(1000);
    expect(await waiting).toBe("a 0");
    expect(watch.staleFor()).toBeGreaterThanOrEqual(1000);
    // Nothing moves the clock: this look fails at once.
    expect(await find("a")).toBe("a 0");
    expect(reported).toHaveLength(1);
    expect(watch.counts().failed).toBeGreaterThan(0);
  });

  test("what is not in memory is unavailable, also where somebody has looked for it before", async () => {
    const { advance, state, find } = openWatch();
    await find("a");
    state.mode = "refuses";
    await advance(500);
    for (let count = 0; count < 2; count += 1)
      expect(await codeOf(Promise.resolve(find("b")))).toBe("unavailable");
  });

  test("data of a version that was replaced before is as old as the last read that found that version", async () => {
    const { advance, state, watch, find, changeElsewhere } = openWatch();
    await find("a");
    await advance(3000);
    changeElsewhere();
    // From here on the version is read, and nothing else.
    expect((await watch.current(true)).version).toBe(1);
    await advance(2000);
    state.mode = "refuses";
    await advance(1000);
    expect(watch.staleFor()).toBeLessThan(1200);
    expect(await find("a")).toBe("a 0");
    expect(watch.staleFor()).toBeGreaterThanOrEqual(3000);
    state.mode = "answers";
    await advance(60);
    expect(watch.staleFor()).toBe(0);
    expect(await find("a")).toBe("a 1");
  });

  test("nothing is found by a process that has never seen it answer", async () => {
    const { state, watch, find } = openWatch();
    state.mode = "refuses";
    expect(await codeOf(Promise.resolve(find("a")))).toBe("unavailable");
    expect(watch.staleFor()).toBe(0);
  });

  test("looks go on without a reader, and everything is current again once it answers", async () => {
    const { advance, state, watch, find, changeElsewhere } = openWatch();
    await find("a");
    state.mode = "refuses";
    await advance(60_000);
    expect(watch.staleFor()).toBeGreaterThan(59_000);
    changeElsewhere();
    state.mode = "answers";
    await advance(60);
    expect(watch.staleFor()).toBe(0);
    expect(await find("a")).toBe("a 1");
  });

  test("the operator hears once that it does not, and once that it answers again, with how long that took", async () => {
    const { advance, state, reported, noted, find } = openWatch();
    await find("a");
    expect(noted).toEqual([]);
    state.mode = "refuses";
    await advance(60_000);
    expect([reported.length, noted.length]).toEqual([1, 0]);
    state.mode = "answers";
    await advance(1000);
    expect([reported.length, noted]).toEqual([1, ["the database answers again, after 60 s"]]);
  });

  test("one connection that was closed while idle is no failure", async () => {
    const { state, store, watch } = openWatch();
    const look = store.readVersion.bind(store);
    let calls = 0;
    store.readVersion = async () => {
      calls += 1;
      if (calls === 1) state.mode = "refuses";
      try {
        return await look();
      } finally {
        state.mode = "answers";
      }
    };
    expect([(await watch.current()).version, calls]).toEqual([0, 2]);
  });

  test("a read that fails although a look has just succeeded looks again", async () => {
    const { advance, state, watch, find, changeElsewhere } = openWatch();
    await find("a");
    changeElsewhere();
    await advance(60);
    expect(watch.known()!.version).toBe(1);
    state.mode = "refuses";
    expect(await find("a")).toBe("a 0");
    expect(watch.staleFor()).toBeGreaterThan(0);
  });
});

describe("data whose connection was closed during an outage", () => {
  test("is loaded once more where the database answers, and then what fails is said", async () => {
    const { advance, watch, changeElsewhere } = openWatch();
    let failing = 0;
    const find = createCache(watch, async (key) => {
      failing -= 1;
      if (failing >= 0) throw new AppError("unavailable", "the connection was closed");
      return `${key} ${watch.last()!.version}`;
    });
    expect(await find("a")).toBe("a 0");
    changeElsewhere();
    await advance(60);
    failing = 1;
    expect(await find("a")).toBe("a 1");
    failing = 2;
    expect(await codeOf(Promise.resolve(find("b")))).toBe("unavailable");
    expect(await find("b")).toBe("b 1");
  });
});

describe("a database that went back to an earlier state", () => {
  test("is reported, and nothing from before is used", async () => {
    const clocks = openTiming();
    const { state, store } = openSharedSetup();
    const reported: string[] = [];
    const watch = watchChanges(store, (error) => void reported.push(String(error)), clocks.timing);
    const given: unknown[] = [];
    const find = createCache(watch, async (key, before) => {
      given.push(before);
      return `${key} ${given.length}`;
    });
    state.setup = { version: 7, access: 3 };
    expect(await find("a")).toBe("a 1");
    state.setup = { version: 8, access: 3 };
    await clocks.advance(60);
    expect(await find("a")).toBe("a 2");
    state.setup = { version: 6, access: 3 };
    await clocks.advance(60);
    expect(reported).toHaveLength(1);
    expect(reported[0]).toContain("8.3");
    expect(await find("a")).toBe("a 3");
    // What was loaded before is no longer passed on.
    expect(given).toEqual([undefined, "a 1", undefined]);
    state.setup = { version: 8, access: 3 };
    await clocks.advance(60);
    expect(await find("a")).toBe("a 4");
  });

  test("is noticed although its version has caught up again", async () => {
    const { advance, state, watch, reported, find } = openWatch();
    state.setup = { version: 42, access: 3, stamps: ["lost", "old"] };
    const before = await watch.current();
    expect(await find("a")).toBe("a 42");
    await advance(60_000);
    state.setup = { version: 42, access: 3, stamps: ["new", "old"] };
    const loaded = find("a");
    expect((await watch.current()).generation).toBe(before.generation + 1);
    expect(await loaded).toBe("a 42");
    expect(reported).toEqual([expect.stringContaining("42.3 has other content")]);
    // A change has another stamp too, and loses nothing.
    state.setup = { version: 43, access: 3, stamps: ["newer", "new", "old"] };
    await advance(60);
    expect(watch.last()).toMatchObject({ version: 43, generation: before.generation + 1 });
    expect(reported).toHaveLength(1);
  });
});
