import { describe, expect, test } from "bun:test";
import { createEnvironment } from "../../src/flags/environments.ts";
import { importFlags } from "../../src/flags/imports.ts";
import type { FlagSelection } from "../../src/flags/store.ts";
import { deleteProject } from "../../src/forms/keeping/project-deletion.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { reasonOf } from "../support/refusals.ts";
import { BOB, brief, openShop } from "../support/records/shop.ts";

describe("a new environment", () => {
  test("has every flag, off, unless it starts from another", async () => {
    const { app, set, find } = await openShop("develop");
    await set("develop", { enabled: true, payload: [1], description: "Said" });
    await createEnvironment(app, OPERATOR, "shop", { slug: "new" });
    expect(await find("new")).toMatchObject({
      enabled: false,
      payload: null,
      expiresAt: null,
      description: "Said",
    });
  });

  test("has the values of the one it starts from, and its own afterwards", async () => {
    const { app, set, find } = await openShop("develop");
    const whole = { enabled: true, payload: { a: 1 }, expiredAt: "2030-01-01T00:00:00Z" };
    await set("develop", whole, OPERATOR, "on");
    await set("develop", {}, OPERATOR, "off");
    await createEnvironment(app, OPERATOR, "shop", { slug: "new", from: "develop" });
    expect(await find("new", "on")).toMatchObject({
      enabled: true,
      payload: '{"a":1}',
      expiresAt: Date.parse("2030-01-01T00:00:00Z"),
    });
    expect(await find("new", "off")).toMatchObject({ enabled: false, payload: null });
    await set("develop", { enabled: false }, OPERATOR, "on");
    expect(await find("new", "on")).toMatchObject({ enabled: true });
  });

  test("has the rules, segments and metadata of the one it starts from, in their order", async () => {
    const { app, set, segment, find } = await openShop("develop");
    await segment("develop", "inner", true);
    await segment("develop", "outer", { and: [{ $ref: "inner" }, true] });
    const targeting = { if: [{ $ref: "outer" }, "on"] };
    await set("develop", { variants: { on: true, off: false }, targeting });
    const place = { project: "shop", environment: "develop" };
    await importFlags(app, OPERATOR, place, { flags: {}, metadata: { team: "web" } }, false);
    await createEnvironment(app, OPERATOR, "shop", { slug: "new", from: "develop" });
    expect((await find("new"))?.rules).toBe((await find("develop"))!.rules);
    const selection = await app.store.flags.selectIn("shop", "new");
    expect(selection.metadata).toBe('{"team":"web"}');
    const original = await app.store.flags.selectIn("shop", "develop");
    const rulesOf = async (selection: FlagSelection) =>
      (await selection.segments()).map(({ name, rule }) => [name, rule]);
    expect(await rulesOf(selection)).toEqual(await rulesOf(original));
  });

  test("begins its history with its copies, which goes with its project", async () => {
    const { app, set, segment, history } = await openShop();
    await set("live", { enabled: true, payload: 1 });
    await segment("live", "staff", true);
    await createEnvironment(app, BOB, "shop", { slug: "copy", from: "live" });
    expect((await history({ environment: "copy" })).map(brief)).toEqual([
      "flag copy sale bob + +",
      "segment copy staff bob - +",
      "environment copy copy bob - +",
    ]);
    await deleteProject(app, OPERATOR, "shop");
    expect(await reasonOf(history())).toStartWith("not_found");
  });
});
