import { describe, expect, test } from "bun:test";
import { deleteSegment } from "../../src/flags/segments.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { codeOf, errorOf, reasonOf } from "../support/refusals.ts";
import { BOB, openShop } from "../support/records/shop.ts";

const STAFF = { project: "shop", environment: "live", segment: "staff" };

describe("a segment", () => {
  test("is created, then updated, then unchanged by a set, in its own environment", async () => {
    const { app, segment } = await openShop();
    expect((await segment("live", "staff", true)).result).toBe("created");
    const { record, result } = await segment("live", "staff", false);
    expect([result, record.rule]).toEqual(["updated", "false"]);
    const version = (await app.store.readVersion()).version;
    expect(await segment("live", "staff", false)).toEqual({ record, result: "unchanged" });
    expect((await app.store.readVersion()).version).toBe(version);
    expect(await app.store.segments.find(STAFF)).toEqual(record);
    expect(await app.store.segments.list("shop", "develop")).toEqual([]);
  });

  test("is deleted at its revision, and at no other", async () => {
    const { app, segment } = await openShop();
    const early = (await segment("live", "staff", true)).record.revision;
    const { revision } = (await segment("live", "staff", false)).record;
    expect(await reasonOf(deleteSegment(app, BOB, STAFF, early))).toBe("conflict revision-differs");
    await deleteSegment(app, BOB, STAFF, revision);
    expect(await codeOf(deleteSegment(app, BOB, STAFF))).toBe("not_found");
  });

  test("is not deleted while a flag, another segment or a scheduled change refers to it", async () => {
    const { app, segment, set } = await openShop();
    await segment("live", "staff", true);
    await segment("live", "beta", { and: [{ $ref: "staff" }, true] });
    const targeting = { if: [{ $ref: "staff" }, "on", "off"] };
    await set("live", { variants: { on: 1, off: 2 }, targeting });
    expect(await errorOf(deleteSegment(app, OPERATOR, STAFF))).toBe(
      'conflict: segment "staff" is still used by flag sale, segment beta',
    );
    expect(await app.store.segments.find(STAFF)).toBeDefined();
  });
});
