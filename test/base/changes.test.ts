import { describe, expect, test } from "bun:test";
import { createCache, type Versioned } from "../../src/base/changes.ts";
import { watchChanges } from "../../src/base/watch.ts";
import { eventually } from "../support/eventually.ts";

/** A setup that holds one value a key, and a cache of it that counts what it loads. */
function openCache(load?: (read: () => string | undefined) => Promise<string | undefined>) {
  const values = new Map<string, string>();
  const watchers: (() => void)[] = [];
  let version = 0;
  const store: Versioned = {
    readVersion: async () => ({ version, access: 0 }),
    staleness: 2,
    watch: (changed) => void watchers.push(changed),
  };
  const loaded: string[] = [];
  const find = createCache(watchChanges(store), async (key) => {
    loaded.push(key);
    const read = () => values.get(key);
    return load ? load(read) : read();
  });
  const changeElsewhere = (key: string, value: string) => {
    values.set(key, value);
    version += 1;
  };
  return {
    find,
    loaded,
    /** A change by another process, of which nobody is told. */
    changeElsewhere,
    change: (key: string, value: string) => {
      changeElsewhere(key, value);
      for (const changed of watchers) changed();
    },
  };
}

describe("a cache", () => {
  test("loads a value once while nothing changes, and finds it without waiting", async () => {
    const { find, loaded, change } = openCache();
    change("a", "one");
    expect(await find("a")).toBe("one");
    await eventually("a value without waiting", async () => {
      await find("a");
      return find("a") === "one";
    });
    expect(loaded).toEqual(["a"]);
  });

  test("keeps each key for itself", async () => {
    const { find, loaded, change } = openCache();
    change("a", "one");
    change("b", "two");
    for (const [key, value] of Object.entries({ a: "one", b: "two" })) expect(await find(key)).toBe(value);
    expect([await find("a"), await find("b")]).toEqual(["one", "two"]);
    expect(loaded).toEqual(["a", "b"]);
  });

  test("finds a change of this process in the next answer, each time", async () => {
    const { find, change } = openCache();
    for (let round = 0; round < 50; round += 1) {
      change("a", `${round}`);
      expect(await find("a")).toBe(`${round}`);
    }
  });

  test("finds a change of another process soon after", async () => {
    const { find, changeElsewhere } = openCache();
    changeElsewhere("a", "one");
    expect(await find("a")).toBe("one");
    changeElsewhere("a", "two");
    await eventually("the change", async () => (await find("a")) === "two");
  });

  test("loads again what was changed while it was loaded", async () => {
    let meanwhile = () => {};
    const cache = openCache(async (read) => {
      const value = read();
      meanwhile();
      meanwhile = () => {};
      return value;
    });
    cache.change("a", "one");
    meanwhile = () => cache.change("a", "two");
    expect(await cache.find("a")).toBe("one");
    expect(await cache.find("a")).toBe("two");
  });

  test("does not keep that there is no value", async () => {
    const { find, loaded } = openCache();
    expect([await find("a"), await find("a")]).toEqual([undefined, undefined]);
    expect(loaded).toEqual(["a", "a"]);
  });

  test("keeps nothing of a load that fails", async () => {
    let isLocked = true;
    const { find, change } = openCache(async (read) => {
      if (isLocked) throw new Error("locked");
      return read();
    });
    change("a", "one");
    expect(await Promise.resolve(find("a")).catch(String)).toContain("locked");
    isLocked = false;
    expect(await find("a")).toBe("one");
  });
});
