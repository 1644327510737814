import { describe, expect, test } from "bun:test";
import type { Tally } from "../../src/flags/reads/tally.ts";
import { type Driver, opener } from "./driver.ts";

/** What the product relies on for counts by the hour in every driver. */
export function talliesContract(driver: Driver): void {
  describe(`tallies, kept by ${driver.name},`, async () => {
    const open = opener(driver);
    const read = (hour: number, what: string, variant: string, count: number): Tally => ({
      kind: "reads",
      hour,
      what,
      variant,
      count,
    });

    test("add up, by hour, what and variant", async () => {
      const { tallies } = await open();
      await tallies.add([read(5, "a", "one", 2), read(5, "a", "all", 1)]);
      await tallies.add([read(5, "a", "one", 3), read(6, "a", "one", 1), read(6, "b", "one", 7)]);
      const span = { kind: "reads", from: 5, to: 7 } as const;
      expect(await tallies.read(span)).toEqual([
        { hour: 5, what: "a", variant: "all", count: 1 },
        { hour: 5, what: "a", variant: "one", count: 5 },
        { hour: 6, what: "a", variant: "one", count: 1 },
        { hour: 6, what: "b", variant: "one", count: 7 },
      ]);
      expect(await tallies.sum(span)).toEqual([
        { what: "a", variant: "all", count: 1 },
        { what: "a", variant: "one", count: 6 },
        { what: "b", variant: "one", count: 7 },
      ]);
    });

    test("that came from another server count once for their id, until it is forgotten", async () => {
      const { tallies } = await open();
      const add = (id: string, at: number, count: number) =>
        tallies.add([read(5, "a", "one", count)], { id, at, expiresAt: at + 100 });
      await Promise.all([add("x", 1000, 2), add("x", 1000, 2), add("y", 1000, 5)]);
      await add("x", 1099, 2);
      expect(await tallies.sum({ kind: "reads", from: 5, to: 6 })).toEqual([
        { what: "a", variant: "one", count: 7 },
      ]);
      await add("x", 1100, 2);
      expect((await tallies.sum({ kind: "reads", from: 5, to: 6 }))[0]!.count).toBe(9);
    });

    test("are read of a kind, of hours, of one name, of what begins with a prefix, and in steps", async () => {
      const { tallies } = await open();
      const flags = ["a/x", "a/y", "a/z", "ab/x"].map((what, index) => ({
        ...read(5, what, "", index + 1),
        kind: "flagReads" as const,
      }));
      await tallies.add([...flags, read(5, "a", "one", 9)]);
      const hour = { kind: "flagReads", from: 5, to: 6 } as const;
      const names = async (query: Parameters<typeof tallies.read>[0]) =>
        (await tallies.read(query)).map(({ what }) => what);
      expect(await names({ ...hour, prefix: "a/" })).toEqual(["a/x", "a/y", "a/z"]);
      expect(await names({ ...hour, what: "a/x" })).toEqual(["a/x"]);
      expect(await names({ ...hour, what: "a/" })).toEqual([]);
      expect(await tallies.sum({ ...hour, what: "a/y" })).toEqual([{ what: "a/y", variant: "", count: 2 }]);
      expect(await names({ ...hour, prefix: "a/", limit: 2 })).toEqual(["a/x", "a/y"]);
      expect(await names({ ...hour, prefix: "a/", limit: 2, after: "a/y" })).toEqual(["a/z"]);
      expect(await tallies.sum({ ...hour, prefix: "ab" })).toEqual([{ what: "ab/x", variant: "", count: 4 }]);
      expect(await names({ ...hour, from: 6, to: 9 })).toEqual([]);
      expect(await names({ ...hour, from: 5, to: 5 })).toEqual([]);
    });

    test("are removed from before an hour, a step at a time, of one kind alone", async () => {
      const { tallies } = await open();
      await tallies.add([1, 2, 3, 4].map((hour) => read(hour, "a", "one", 1)));
      await tallies.add([{ ...read(1, "a/x", "", 1), kind: "flagReads" }]);
      expect(await tallies.clear("reads", 4, 2)).toBe(true);
      expect(await tallies.clear("reads", 4, 2)).toBe(false);
      const span = { from: 0, to: 9 };
      expect(await tallies.sum({ kind: "reads", ...span })).toEqual([
        { what: "a", variant: "one", count: 1 },
      ]);
      expect(await tallies.sum({ kind: "flagReads", ...span })).toHaveLength(1);
    });
  });
}
