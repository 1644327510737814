import { describe, expect, test } from "bun:test";
import type { FlagPatch } from "../../src/flags/flag.ts";
import { deleteFlag, setFlag } from "../../src/flags/flags.ts";
import { deleteSegment } from "../../src/flags/segments.ts";
import { deleteEnvironment, setEnvironment } from "../../src/projects/environments.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { codeOf, reasonOf } from "../support/refusals.ts";
import { BOB, brief, openShop } from "../support/records/shop.ts";
import { flagRecord } from "../support/records/records.ts";

describe("a flag", () => {
  test("is created, then updated, then unchanged by a set", async () => {
    const { app, set, find } = await openShop();
    app.clock.now = 1000;
    const created = await set("live", { description: "Said" });
    expect(created).toEqual({
      result: "created",
      record: flagRecord("sale", {
        description: "Said",
        revision: (await app.store.readVersion()).version,
        createdAt: 1000,
        updatedAt: 1000,
      }),
    });
    app.clock.now = 2000;
    const patch = { enabled: true, payload: { b: [null], a: 1 }, expiredAt: "2030-01-01T00:00:00.001Z" };
    const updated = await set("live", patch);
    expect(updated).toEqual({
      result: "updated",
      record: {
        ...created.record,
        enabled: true,
        payload: '{"b":[null],"a":1}',
        expiresAt: Date.parse("2030-01-01T00:00:00.001Z"),
        updatedAt: 2000,
        revision: created.record.revision + 1,
      },
    });
    app.clock.now = 3000;
    for (const same of [patch, {}])
      expect(await set("live", same)).toEqual({ ...updated, result: "unchanged" });
    expect(await find("live")).toEqual(updated.record);
    expect((await app.store.readVersion()).version).toBe(updated.record.revision);
  });

  test("changes only in what the patch names", async () => {
    const { set, find } = await openShop();
    await set("live", { enabled: true, payload: 1, description: "Said" });
    for (const patch of [{ enabled: false }, { payload: null }, { description: "" }] as FlagPatch[]) {
      const before = (await find("live"))!;
      const { record } = await set("live", patch);
      const changed = Object.keys(record).filter(
        (field) => record[field as "slug"] !== before[field as "slug"],
      );
      expect(changed).toEqual([...Object.keys(patch), "revision"]);
    }
  });

  test("with the payload {} is one without: nothing changes between them, and nothing is recorded", async () => {
    const { set, find, history } = await openShop();
    await set("live", { payload: {} });
    expect(await find("live")).toMatchObject({ payload: null });
    expect((await history())[0]!.after).not.toContainKey("payload");
    await set("live", { payload: 1 });
    expect((await set("live", { payload: {} })).result).toBe("updated");
    expect((await set("live", { payload: {} })).result).toBe("unchanged");
    expect(await find("live")).toMatchObject({ payload: null });
    // Null is a value.
    expect((await set("live", { payload: null })).record.payload).toBe("null");
  });

  test("is updated, not created, by a set in a second environment", async () => {
    const { set, find } = await openShop("a", "b", "c");
    expect((await set("a", { enabled: true })).result).toBe("created");
    expect((await set("b", { enabled: true })).result).toBe("updated");
    expect(await find("c")).toMatchObject({ enabled: false });
  });

  test("is created once where it is set in 50 environments at the same time, and is on in all", async () => {
    const names = Array.from({ length: 50 }, (_, index) => `e${index}`);
    const { set, find } = await openShop(...names);
    const done = await Promise.all(names.map((each) => set(each, { enabled: true })));
    expect(done.filter(({ result }) => result === "created")).toHaveLength(1);
    for (const each of names) expect(await find(each)).toMatchObject({ enabled: true });
  });

  test("is not found where the project or the environment does not exist, or by a delete of none", async () => {
    const { app, place, set, drop } = await openShop();
    expect(await codeOf(set("nowhere", {}))).toBe("not_found");
    const elsewhere = { ...place("live"), project: "nobody" };
    expect(await codeOf(setFlag(app, OPERATOR, elsewhere, {}))).toBe("not_found");
    expect(await codeOf(deleteFlag(app, OPERATOR, elsewhere))).toBe("not_found");
    const version = (await app.store.readVersion()).version;
    expect(await codeOf(drop())).toBe("not_found");
    expect((await app.store.readVersion()).version).toBe(version);
    expect(await app.store.flags.list("shop", "live")).toEqual([]);
  });

  test("that was deleted is created by the next set, off in the other environments", async () => {
    const { set, find, drop } = await openShop();
    for (const environment of ["develop", "live"]) await set(environment, { enabled: true });
    await drop();
    expect((await set("live", {})).result).toBe("created");
    expect(await find("develop")).toMatchObject({ enabled: false });
  });

  test("is deleted at its newest revision of all environments, and at no other", async () => {
    const { set, find, drop } = await openShop();
    const early = (await set("live", { enabled: true })).record.revision;
    const { revision } = (await set("develop", { enabled: true })).record;
    expect(await reasonOf(drop(BOB, early))).toBe("conflict revision-differs");
    expect(await find("live")).toBeDefined();
    await drop(BOB, revision);
    expect(await find("live")).toBeUndefined();
  });
});

test("the history has each change to environments, flags and segments, newest first, with who made it", async () => {
  const { app, set, segment, drop, history } = await openShop();
  await set("develop", { enabled: true });
  await set("develop", { enabled: true });
  app.clock.now += 1000;
  await set("live", { payload: null }, BOB);
  await segment("live", "staff", true);
  await deleteSegment(app, BOB, { project: "shop", environment: "live", segment: "staff" });
  for (const [caller, locked] of [
    [BOB, true],
    [BOB, true],
    [OPERATOR, false],
  ] as const)
    await setEnvironment(app, caller, "shop", "live", { locked });
  await drop(BOB);
  await deleteEnvironment(app, BOB, "shop", "live");
  const all = await history();
  expect(all.map(brief)).toEqual([
    "environment live live bob + -",
    "flag all sale bob + -",
    "environment live live ann + +",
    "environment live live bob + +",
    "segment live staff bob + -",
    "segment live staff ann - +",
    "flag live sale bob + +",
    "flag develop sale ann - +",
    "environment live live ann - +",
    "environment develop develop ann - +",
  ]);
  const revisions = all.map(({ revision }) => revision);
  expect(revisions).toEqual(revisions.toSorted((a, b) => b - a));
  expect(all[6]).toMatchObject({
    at: app.clock.now,
    before: { enabled: false, expiredAt: null, description: "" },
    after: { enabled: false, payload: null, expiredAt: null, description: "" },
  });
  expect(all[6]!.before).not.toContainKey("payload");
  expect(all[3]).toMatchObject({ before: { locked: false }, after: { locked: true } });
});
