import { expect, test } from "bun:test";
import { setDetails, setFlag } from "../../../src/flags/flags.ts";
import { compareEnvironments, promoteFlags } from "../../../src/flags/promotions.ts";
import { evaluateStored } from "../../../src/flags/reads/evaluations.ts";
import { requirementsOf } from "../../../src/flags/requires/requirement.ts";
import { undoFlags } from "../../../src/flags/undo.ts";
import { moveData } from "../../../src/maintenance/move.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openShop } from "../../support/records/shop.ts";
import { errorOf } from "../../support/refusals.ts";

/** The flag `sale`, which needs the flag `cart`, in develop. */
async function openNeeding() {
  const shop = await openShop();
  await shop.set("develop", { enabled: true }, OPERATOR, "cart");
  await shop.set("develop", { enabled: true, requires: [{ flag: "cart" }] });
  const needsIn = async (environment: string) =>
    requirementsOf((await shop.find(environment))!.requires).map(({ flag }) => flag);
  return { ...shop, needsIn };
}

test("what a flag needs is a difference of two environments, and is copied with the flag", async () => {
  const { app, needsIn } = await openNeeding();
  const { flags } = await compareEnvironments(app, "shop", "develop", "live");
  expect(flags.map(({ slug, after }) => [slug, after.requires])).toContainEqual(["sale", [{ flag: "cart" }]]);
  const order = { from: "develop", to: "live", flags: ["sale"], segments: false };
  await promoteFlags(app, OPERATOR, "shop", order, false);
  expect(await needsIn("live")).toEqual(["cart"]);
  const left = await compareEnvironments(app, "shop", "develop", "live");
  expect(left.flags.map(({ slug }) => slug)).toEqual(["cart"]);
});

test("an undo brings back what a flag needed", async () => {
  const { app, set, needsIn } = await openNeeding();
  const { record } = await set("develop", { requires: null });
  expect(await needsIn("develop")).toEqual([]);
  await undoFlags(app, OPERATOR, "shop", { first: record.revision, last: record.revision });
  expect(await needsIn("develop")).toEqual(["cart"]);
});

test("a revision that needs a flag that is archived now is not gone back to, and it is archived once it is needed no more", async () => {
  const { app, set, rollback, needsIn } = await openNeeding();
  await set("live", { requires: [{ flag: "cart" }] });
  const archive = () => setDetails(app, OPERATOR, { project: "shop", flag: "cart" }, { archived: true });
  expect(await errorOf(archive())).toBe('conflict: "cart" is needed by sale in develop');
  await set("develop", { requires: null });
  expect(await errorOf(archive())).toBe('conflict: "cart" is needed by sale in live');
  const { record } = await set("live", { requires: null });
  await archive();
  expect(await errorOf(rollback({ before: record.revision }))).toBe(
    'invalid: sale > cart: "cart" is archived',
  );
  expect(await needsIn("live")).toEqual([]);
});

test("an archived flag keeps nothing from being archived, and is not restored without what it needs", async () => {
  const { app, needsIn } = await openNeeding();
  const details = (flag: string, archived: boolean) =>
    setDetails(app, OPERATOR, { project: "shop", flag }, { archived });
  await details("sale", true);
  await details("cart", true);
  expect(await errorOf(details("sale", false))).toBe('invalid: sale > cart: "cart" is archived');
  await details("cart", false);
  await details("sale", false);
  expect(await needsIn("develop")).toEqual(["cart"]);
});

test("a move to another store brings what flags need, and evaluates the same", async () => {
  const { app, place } = await openNeeding();
  const target = openTestApp();
  await moveData(app, target, { isFinal: true, replaces: false }, () => {});
  const evaluate = () => evaluateStored(target, OPERATOR, place("develop"), {});
  expect(await evaluate()).toMatchObject({ value: true });
  await setFlag(target, OPERATOR, place("develop", "cart"), { enabled: false });
  expect(await evaluate()).toMatchObject({ metadata: { prerequisite: "cart" } });
  const drop = setDetails(target, OPERATOR, { project: "shop", flag: "cart" }, { archived: true });
  expect(await errorOf(drop)).toBe('conflict: "cart" is needed by sale in develop');
});
