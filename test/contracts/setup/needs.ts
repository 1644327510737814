import { describe, expect, test } from "bun:test";
import { clock } from "../../../src/base/clock.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { parseRules, rulesText } from "../../../src/flags/rules/rules.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { addProject } from "../../support/records/apply.ts";
import { errorOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

/** What the product relies on in every driver for flags that need others. */
export function needsContract(driver: Driver): void {
  describe(`flags that need others, kept by ${driver.name},`, async () => {
    const open = opener(driver);

    test("make no circle, whichever of three stores sets them at once, past every check before", async () => {
      const database = fresh("database");
      const stores = [await open(database), await open(database), await open(database)];
      const [store] = stores as [(typeof stores)[number]];
      const project = fresh();
      const { set } = await addProject(store, project, "live");
      for (const flag of ["a", "b", "c"]) await set("live", flag, { enabled: true });
      const need = (at: number, flag: string, needed: string) =>
        setFlag(
          { store: stores[at]!, now: () => clock.now() } as never,
          OPERATOR,
          { project, environment: "live", flag },
          { requires: [{ flag: needed }] },
        ).then(
          () => "set",
          (error: Error) => error.message,
        );
      for (let round = 0; round < 5; round += 1) {
        const results = await Promise.all([need(0, "a", "b"), need(1, "b", "c"), need(2, "c", "a")]);
        expect(results.filter((each) => each === "set")).toHaveLength(2);
        expect(results.filter((each) => each !== "set")).toEqual([
          expect.stringMatching(/^a flag cannot need itself: \w > \w > \w > \w$/),
        ]);
        for (const flag of ["a", "b", "c"]) await set("live", flag, { requires: "" });
      }
      const bare = set("live", "a", { requires: '[{"flag":"a"}]' });
      expect(await errorOf(bare)).toBe("invalid: a flag cannot need itself: a > a");
    });

    test("have what they need, whichever of two stores takes it away while the other begins to need it", async () => {
      const database = fresh("database");
      const [store, other] = [await open(database), await open(database)];
      const project = fresh();
      const { set, find } = await addProject(store, project, "live");
      const rulesOf = (...names: string[]) =>
        rulesText({ variants: Object.fromEntries(names.map((name) => [name, name])) });
      const variantsOf = async () => Object.keys(parseRules((await find("live", "colour"))!.rules!).variants);
      const change = (on: typeof store, flag: string, patch: FlagPatch) =>
        errorOf(
          setFlag(
            { store: on, now: () => clock.now() } as never,
            OPERATOR,
            { project, environment: "live", flag },
            patch,
          ),
        );
      for (let round = 0; round < 5; round += 1) {
        await set("live", "colour", { rules: rulesOf("red", "blue") });
        await set("live", "a", { requires: "" });
        const results = await Promise.all([
          change(store, "colour", { variants: { blue: "blue" } }),
          change(other, "a", { requires: [{ flag: "colour", variants: ["red"] }] }),
        ]);
        const isTaken = !(await variantsOf()).includes("red");
        expect(results).toEqual(
          isTaken
            ? ["none", 'invalid: "red", which a needs in live, is not one of the variants of colour: blue']
            : ['conflict: variants of "colour" that would go are needed by a (red) in live', "none"],
        );
        expect((await find("live", "a"))!.requires === "").toBe(isTaken);
        await set("live", "a", { requires: "" });
      }
      await set("live", "colour", { rules: rulesOf("red", "blue") });
      await set("live", "a", { requires: '[{"flag":"colour","variants":["red"]}]' });
      expect(await errorOf(set("live", "colour", { rules: null }))).toBe(
        'conflict: variants of "colour" that would go are needed by a (red) in live',
      );
      expect(await variantsOf()).toEqual(["red", "blue"]);
    });

    test("are found with the flags that they need, in one environment, without those that are archived", async () => {
      const store = await open();
      const project = fresh();
      const { set } = await addProject(store, project, "live", "develop");
      await set("live", "a", { enabled: true });
      await set("live", "b", { requires: '[{"flag":"a","variants":["on","off"]}]' });
      expect(await store.flags.needs(project, "live")).toEqual({
        environment: "live",
        needing: [{ slug: "b", requires: '[{"flag":"a","variants":["on","off"]}]' }],
        needed: new Map([["a", false]]),
      });
      expect((await store.flags.needs(project, "develop")).needing).toEqual([]);
      expect(await errorOf(set("live", "a", { archived: true }))).toBe(
        'conflict: "a" is needed by b in live',
      );
      await set("live", "b", { archived: true });
      expect((await store.flags.needs(project, "live")).needing).toEqual([]);
      await set("live", "a", { archived: true });
      expect(await errorOf(set("develop", "b", { archived: false }))).toBe('invalid: b > a: "a" is archived');
    });
  });
}
