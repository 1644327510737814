import { expect, test } from "bun:test";
import { rollbackFlag, setDetails, setFlag } from "../../src/flags/flags.ts";
import { DETAIL_LIMITS } from "../../src/flags/limits.ts";
import { viewDetails } from "../../src/flags/flag.ts";
import { startRamp } from "../../src/flags/ramps/ramps.ts";
import { findStale } from "../../src/flags/stale.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { reasonOf } from "../support/refusals.ts";
import { BOB, openShop } from "../support/records/shop.ts";

const CAREFUL = { ...OPERATOR, hasConfirmed: () => false };
const SALE = { project: "shop", flag: "sale" };

test("owner, tags and permanence are shared by all environments, and the history has them", async () => {
  const { app, set, find } = await openShop();
  await set("live", { enabled: true });
  const { record, result } = await setDetails(app, OPERATOR, SALE, {
    owner: "checkout",
    tags: ["beta", "b 2", "beta"],
    permanent: true,
  });
  expect(result).toBe("updated");
  expect(viewDetails(record)).toMatchObject({
    owner: "checkout",
    tags: ["beta", "b 2"],
    permanent: true,
    archived: false,
  });
  for (const environment of ["live", "develop"])
    expect(await find(environment)).toMatchObject({ owner: "checkout", tags: "beta,b 2" });
  const [change] = (await app.store.changes.page("shop", { limit: 1 })).items;
  expect(change).toMatchObject({ kind: "flag", name: "sale", after: { tags: ["beta", "b 2"] } });
  const place = { ...SALE, environment: change!.environment! };
  await rollbackFlag(app, OPERATOR, place, { before: null });
  expect(await find("live")).toMatchObject({ owner: "", tags: "", permanent: false });
});

test("tags that two people add at once are both kept, as far as a flag has room", async () => {
  const { app, set, find } = await openShop();
  await set("live", { enabled: true });
  await setDetails(app, OPERATOR, SALE, { tags: ["old"] });
  const add = (...addTags: string[]) => setDetails(app, OPERATOR, SALE, { addTags });
  await Promise.all([add("one"), add("two", "old")]);
  expect((await find("live"))!.tags.split(",").toSorted()).toEqual(["old", "one", "two"]);
  const many = Array.from({ length: DETAIL_LIMITS.tags }, (_, index) => `t${index}`);
  expect(await reasonOf(add(...many))).toBe("conflict");
  expect((await find("live"))!.tags).not.toContain("t0");
});

test("an archived flag does not exist for its readers until it is restored", async () => {
  const { app, set, find } = await openShop();
  await set("live", { enabled: true });
  const readers = async () => (await (await app.store.flags.selectIn("shop", "live")).flags()).length;
  expect(await readers()).toBe(1);
  await setDetails(app, OPERATOR, SALE, { archived: true });
  expect(await readers()).toBe(0);
  expect(await find("live")).toMatchObject({ enabled: true, archived: true });
  await setDetails(app, OPERATOR, SALE, { archived: false });
  expect(await readers()).toBe(1);
});

test("archiving needs every environment to be changeable, and a flag that nothing holds", async () => {
  const { app, set } = await openShop();
  await set("live", { enabled: true, variants: { on: true, off: false }, defaultVariant: "off" });
  const place = { ...SALE, environment: "live" };
  await startRamp(app, OPERATOR, place, { variant: "on", to: [10, 100], every: 86_400 });
  expect(await reasonOf(setDetails(app, OPERATOR, SALE, { archived: true }))).toBe("conflict flag-held");
  expect((await setDetails(app, OPERATOR, SALE, { owner: "ann" })).result).toBe("updated");
  await setFlag(app, OPERATOR, { ...place, flag: "other" }, { enabled: true });
  await setEnvironment(app, OPERATOR, "shop", "live", { locked: true });
  const other = { project: "shop", flag: "other" };
  expect(await reasonOf(setDetails(app, CAREFUL, other, { archived: true }))).toBe(
    "unconfirmed environment-locked",
  );
  const patch = { archived: true };
  expect(await reasonOf(setFlag(app, CAREFUL, { ...other, environment: "develop" }, patch))).toBe(
    "unconfirmed environment-locked",
  );
  expect((await setDetails(app, BOB, other, { tags: ["a"] })).result).toBe("updated");
});

test("permanent and archived flags are never stale", async () => {
  const { app, set } = await openShop();
  for (const flag of ["a", "b", "c"]) await set("live", { enabled: true }, OPERATOR, flag);
  await setDetails(app, OPERATOR, { project: "shop", flag: "a" }, { permanent: true });
  await setDetails(app, OPERATOR, { project: "shop", flag: "b" }, { archived: true });
  app.clock.now += 100 * 86_400_000;
  const stale = await findStale(app, { project: "shop", environment: null, days: 30 });
  expect(stale.map(({ slug }) => slug)).toEqual(["c"]);
});

test("variants have colours, the same in every environment, until they are taken away", async () => {
  const { app, find, history } = await openShop();
  await setFlag(app, OPERATOR, { ...SALE, environment: "live" }, { enabled: true });
  const colours = { on: "#2B8A3E", "a=b": "#112233" };
  const { record } = await setDetails(app, OPERATOR, SALE, { colours });
  expect(record.colours).toBe('{"on":"#2b8a3e","a=b":"#112233"}');
  expect(viewDetails(record)).toMatchObject({ colours: { on: "#2b8a3e", "a=b": "#112233" } });
  expect((await history())[0]!.after).toMatchObject({ colours: { on: "#2b8a3e" } });
  await setDetails(app, OPERATOR, SALE, { colours: {} });
  expect(await find("live")).toMatchObject({ colours: "" });
});
