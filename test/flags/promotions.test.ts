import { describe, expect, test } from "bun:test";
import type { Caller } from "../../src/access/caller.ts";
import type { App } from "../../src/app.ts";
import { importFlags } from "../../src/flags/imports.ts";
import { fingerprintOf } from "../../src/flags/promotions.ts";
import { compareEnvironments, promoteFlags } from "../../src/flags/promotions.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { errorOf, reasonOf } from "../support/refusals.ts";
import { BOB, brief, openShop } from "../support/records/shop.ts";

const ORDER = { from: "develop", to: "live", flags: null, segments: false };
const promote = (
  app: App,
  more: Partial<typeof ORDER> | { flags: string[] } = {},
  dryRun = false,
  by: Caller = BOB,
) => promoteFlags(app, by, "shop", { ...ORDER, ...more }, dryRun);

describe("a comparison of environments", () => {
  test("is what a dry run of promoting every flag lists, without a right to promote", async () => {
    const { app, set, segment, history } = await openShop();
    await set("develop", { enabled: true, payload: 1, expiredAt: "2030-01-01T00:00:00Z" });
    await segment("develop", "staff", true);
    const targeting = { if: [{ $ref: "staff" }, "a"] };
    await set("develop", { variants: { a: 1 }, targeting, isPreview: true }, OPERATOR, "rich");
    await set("develop", {}, OPERATOR, "same");
    const before = await history();
    const compared = await compareEnvironments(app, "shop", "develop", "live");
    expect(compared).toEqual(await promote(app, {}, true));
    expect(compared.flags.map(({ slug }) => slug)).toEqual(["rich", "sale"]);
    expect(compared).toMatchObject({ unchanged: 1, segments: [{ name: "staff", before: null }] });
    expect((await compareEnvironments(app, "shop", "live", "live")).flags).toEqual([]);
    expect(await reasonOf(compareEnvironments(app, "shop", "develop", "nowhere"))).toStartWith("not_found");
    expect(await history()).toEqual(before);
  });

  test("reads more flags than fit into one step", async () => {
    const { app, place } = await openShop();
    const flags = Object.fromEntries(
      Array.from({ length: 1200 }, (_, index) => [
        `flag-${index}`,
        { state: "ENABLED", variants: { on: true, off: false }, defaultVariant: index % 2 ? "on" : "off" },
      ]),
    );
    await importFlags(app, OPERATOR, place("develop"), { flags }, false);
    const { flags: different, unchanged } = await compareEnvironments(app, "shop", "develop", "live");
    expect({ different: different.length, unchanged }).toEqual({ different: 600, unchanged: 600 });
  });
});

describe("a promotion", () => {
  test("copies values but not descriptions, counts what is unchanged, and is one change a flag", async () => {
    const { app, set, find, history } = await openShop();
    await set("develop", { enabled: true, payload: 1, expiredAt: "2030-01-01T00:00:00Z" });
    await set("develop", { variants: { a: 1 }, defaultVariant: "a" }, OPERATOR, "rich");
    await set("develop", {}, OPERATOR, "same");
    app.clock.now += 1000;
    const version = (await app.store.readVersion()).version;
    const { flags, unchanged } = await promote(app);
    expect({ flags: flags.map(({ slug }) => slug), unchanged }).toEqual({
      flags: ["rich", "sale"],
      unchanged: 1,
    });
    expect(flags[1]).toMatchObject({ before: { enabled: false }, after: { enabled: true, payload: 1 } });
    expect(await find("live")).toMatchObject({
      enabled: true,
      payload: "1",
      updatedAt: app.clock.now,
      revision: version + 2,
    });
    expect((await history()).slice(0, 2).map(brief)).toEqual([
      "flag live sale bob + +",
      "flag live rich bob + +",
    ]);
    expect(await promote(app)).toEqual({ flags: [], unchanged: 3, segments: [] });
  });

  test("promotes what its dry run listed and nothing else, where it names that", async () => {
    const { app, set, find } = await openShop();
    await set("develop", { payload: 1 });
    const promoteAt = (expected: string) => promoteFlags(app, BOB, "shop", ORDER, false, expected);
    const dryRun = await promote(app, {}, true);
    await set("develop", { payload: 2 });
    expect(await reasonOf(promoteAt(await fingerprintOf(dryRun)))).toBe("conflict promotion-differs");
    expect(await find("live")).toMatchObject({ payload: null });
    await promoteAt(await fingerprintOf(await promote(app, {}, true)));
    expect(await find("live")).toMatchObject({ payload: "2" });
  });

  test("that is a dry run returns the same and changes nothing", async () => {
    const { app, set, segment, find, history } = await openShop();
    await set("develop", { enabled: true });
    await segment("develop", "staff", true);
    const before = [(await app.store.readVersion()).version, await history()];
    const planned = await promote(app, {}, true);
    expect([(await app.store.readVersion()).version, await history()]).toEqual(before);
    expect(await find("live")).toMatchObject({ enabled: false });
    expect(await promote(app)).toEqual(planned);
  });

  test("is refused where segments are missing; a dry run names them, and they are copied in their order", async () => {
    const { app, set, segment, find } = await openShop();
    await segment("develop", "unused", true);
    await segment("develop", "inner", { "==": [{ var: "plan" }, "gold"] });
    await segment("develop", "outer", { and: [{ $ref: "inner" }, true] });
    await set("develop", {
      variants: { on: true, off: false },
      defaultVariant: "off",
      targeting: { if: [{ $ref: "outer" }, "on"] },
    });
    const shown = await promote(app, { flags: ["sale"] }, true);
    expect(shown.segments).toMatchObject([
      { name: "inner", copied: false, before: null },
      { name: "outer", copied: false, before: null },
    ]);
    expect(await reasonOf(promote(app, { flags: ["sale"] }))).toBe("conflict segment-missing");
    expect(await find("live")).toMatchObject({ rules: null });
    expect(await app.store.segments.list("shop", "live")).toEqual([]);
    // Stands first there, and has to stand behind `inner`.
    await segment("live", "outer", false);
    const { segments } = await promote(app, { segments: true });
    expect(segments).toMatchObject([
      { name: "inner", copied: true, before: null },
      { name: "outer", copied: true, before: false },
    ]);
    const selection = await app.store.flags.selectIn("shop", "live");
    expect((await selection.segments()).map(({ name }) => name)).toEqual(["inner", "outer"]);
    expect((await find("live"))?.rules).toContain("outer");
  });

  test("with a segment that is only different there takes that one, which stays as it is", async () => {
    const { app, set, segment, find } = await openShop();
    await segment("develop", "staff", true);
    await segment("live", "staff", false);
    await set("develop", { variants: { on: true }, targeting: { if: [{ $ref: "staff" }, "on", "on"] } });
    const { segments } = await promote(app);
    expect(segments).toEqual([{ name: "staff", copied: false, before: false, after: true }]);
    expect((await find("live"))?.rules).toContain("staff");
    expect((await app.store.segments.list("shop", "live")).map(({ rule }) => rule)).toEqual(["false"]);
  });

  test("of a flag or environment that is not there, or into its own, promotes none", async () => {
    const { app, set, find } = await openShop();
    await set("develop", { enabled: true });
    expect(await errorOf(promote(app, { flags: ["sale", "nothing"] }))).toStartWith("not_found");
    expect(await errorOf(promote(app, { from: "nothing" }))).toStartWith("not_found");
    expect(await errorOf(promote(app, { to: "develop" }))).toStartWith("invalid");
    expect(await find("live")).toMatchObject({ enabled: false });
  });
});
