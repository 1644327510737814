import { describe, expect, test } from "bun:test";
import { importFlags } from "../../src/flags/imports.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { codeOf } from "../support/refusals.ts";
import { openShop } from "../support/records/shop.ts";

const PLACE = { project: "shop", environment: "a" };
const FILE = {
  flags: { f: { state: "ENABLED", variants: { one: 1 }, defaultVariant: "one" } },
  $evaluators: { s: { "==": [{ var: "a" }, 1] } },
  metadata: { a: 1 },
};
const DONE = {
  flags: [{ key: "f", result: "created" }],
  segments: [{ name: "s", result: "created" }],
  metadata: "updated",
  warnings: [],
};

describe("an import", () => {
  test("sets flags, segments and metadata of one environment; a dry run returns what it would", async () => {
    const { app, find } = await openShop("a", "b");
    const version = (await app.store.readVersion()).version;
    expect(await importFlags(app, OPERATOR, PLACE, FILE, true)).toMatchObject(DONE);
    expect([await find("a", "f"), (await app.store.readVersion()).version]).toEqual([undefined, version]);
    expect(await importFlags(app, OPERATOR, PLACE, FILE, false)).toMatchObject(DONE);
    expect(await find("a", "f")).toMatchObject({ enabled: true, imported: true });
    expect(await find("b", "f")).toMatchObject({ enabled: false, rules: null });
    expect((await app.store.flags.selectIn("shop", "a")).metadata).toBe('{"a":1}');
    const other = await app.store.flags.selectIn("shop", "b");
    expect([other.metadata, await other.segments()]).toEqual(["{}", []]);
    expect((await app.store.readVersion()).version).toBe(version + 3);
  });

  test("of the same file again changes nothing", async () => {
    const { app } = await openShop("a");
    await importFlags(app, OPERATOR, PLACE, FILE, false);
    const version = (await app.store.readVersion()).version;
    expect(await importFlags(app, OPERATOR, PLACE, FILE, false)).toMatchObject({
      flags: [{ result: "unchanged" }],
      segments: [{ result: "unchanged" }],
      metadata: "unchanged",
    });
    expect((await app.store.readVersion()).version).toBe(version);
  });

  test("leaves a flag no need that the file does not have, and keeps those of other flags", async () => {
    const { app, set, find } = await openShop("a");
    for (const flag of ["g", "off"]) await set("a", {}, OPERATOR, flag);
    for (const flag of ["f", "g"])
      await set("a", { enabled: true, requires: [{ flag: "off" }] }, OPERATOR, flag);
    await importFlags(app, OPERATOR, PLACE, FILE, false);
    expect((await find("a", "f"))!.requires).toBe("");
    expect((await find("a", "g"))!.requires).toBe('[{"flag":"off"}]');
  });

  test("puts the segments of the file in its order, and moves no other", async () => {
    const { app, segment } = await openShop("a");
    for (const name of ["x", "b", "y", "a"]) await segment("a", name, { "==": [{ var: "n" }, name] });
    const rule = (name: string) => ({ "==": [{ var: "n" }, name] });
    const file = { flags: {}, $evaluators: { a: rule("a"), b: rule("b"), c: rule("c") } };
    const { segments } = await importFlags(app, OPERATOR, PLACE, file, false);
    expect(segments.map(({ name, result }) => `${name} ${result}`)).toEqual([
      "a updated",
      "b updated",
      "c created",
    ]);
    const selection = await app.store.flags.selectIn("shop", "a");
    expect((await selection.segments()).map(({ name }) => name)).toEqual(["x", "a", "y", "b", "c"]);
  });

  test("into an environment that is not there is not found", async () => {
    const { app } = await openShop("a");
    const place = { project: "shop", environment: "gone" };
    for (const dryRun of [true, false])
      expect(await codeOf(importFlags(app, OPERATOR, place, FILE, dryRun))).toBe("not_found");
  });
});
