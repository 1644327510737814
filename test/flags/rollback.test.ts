import { describe, expect, test } from "bun:test";
import type { FlagPatch } from "../../src/flags/flag.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { errorOf } from "../support/refusals.ts";
import { BOB, openShop } from "../support/records/shop.ts";

describe("a rollback", () => {
  test("sets everything to what it was after the revision, as a new change", async () => {
    const { set, find, rollback, history } = await openShop();
    const states: FlagPatch[] = [
      { enabled: true, payload: { a: [1] }, expiredAt: "2030-01-01T00:00:00Z", description: "d" },
      { payload: null, enabled: false, expiredAt: null, description: "" },
      { variants: { on: 1, off: 2 }, defaultVariant: "on", targeting: { if: [true, "on"] } },
    ];
    const made = [(await set("live", {})).record];
    for (const patch of states) made.push((await set("live", patch)).record);
    for (const { revision, createdAt: _, updatedAt: __, ...values } of [...made, ...made.toReversed()]) {
      const { result, record } = await rollback(revision, BOB);
      expect(record).toMatchObject(values);
      expect(await find("live")).toEqual(record);
      if (result !== "unchanged")
        expect((await history())[0]).toMatchObject({ revision: record.revision, who: "bob" });
    }
    expect((await rollback(made[0]!.revision)).result).toBe("unchanged");
  });

  test("undoes the newest change, also the first in an environment and a deletion", async () => {
    const { set, drop, find, rollback } = await openShop();
    const undo = () => rollback({ before: null }, BOB);
    expect(await errorOf(undo())).toStartWith("not_found: there is no change");
    await set("develop", { enabled: true, description: "d" });
    expect(await errorOf(undo())).toStartWith("not_found: there is no change");
    await set("live", { enabled: true, payload: 1, isPreview: true });
    await undo();
    const blank = { enabled: false, payload: null, isPreview: false, description: "d" };
    expect(await find("live")).toMatchObject(blank);
    await undo();
    const first = { enabled: true, payload: "1", isPreview: true, description: "d" };
    expect(await find("live")).toMatchObject(first);
    const { revision } = (await set("live", { payload: 2 })).record;
    await set("live", { payload: 3 });
    await rollback({ before: revision });
    expect(await find("live")).toMatchObject(first);
    await drop();
    expect((await undo()).result).toBe("created");
    expect(await find("live")).toMatchObject(first);
    expect(await find("develop")).toMatchObject({ enabled: false });
  });

  test("undoes the change that was shown, or none", async () => {
    const { set, drop, find, rollback } = await openShop();
    const shown = (await set("live", { enabled: true, payload: 1 })).record.revision;
    await drop();
    await set("live", { enabled: true, payload: 2 });
    expect(await errorOf(rollback({ undone: shown }))).toStartWith("conflict: ");
    const newest = (await set("live", { payload: 3 })).record.revision;
    await rollback({ undone: newest }, BOB);
    expect(await find("live")).toMatchObject({ payload: "2" });
  });

  test("undoes the creation of a flag, which is off and empty then", async () => {
    const { set, find, rollback } = await openShop();
    await set("live", { enabled: true, payload: 1, description: "d" });
    await rollback({ before: null });
    expect(await find("live")).toMatchObject({ enabled: false, payload: null, description: "d" });
  });

  test("recreates a flag that was deleted, off in the other environments", async () => {
    const { app, set, find, drop, rollback } = await openShop();
    const { record } = await set("live", { enabled: true, payload: 1, description: "d" });
    await drop();
    app.clock.now += 1000;
    expect((await rollback(record.revision, BOB)).result).toBe("created");
    expect(await find("live")).toMatchObject({ enabled: true, payload: "1", createdAt: app.clock.now });
    expect(await find("develop")).toMatchObject({ enabled: false, payload: null, description: "d" });
  });

  test("is refused to a revision of another flag or environment, to a deletion, and where it is late", async () => {
    const { set, drop, rollback, history } = await openShop();
    const { revision } = (await set("live", { enabled: true })).record;
    const develop = (await set("develop", { enabled: true })).record.revision;
    const strange = (await set("live", {}, OPERATOR, "strange")).record.revision;
    expect(await errorOf(rollback(revision, BOB, revision - 1))).toStartWith("conflict");
    await drop();
    const [deletion] = await history();
    const to = (revision: number) => errorOf(rollback(revision, BOB));
    expect(await to(develop)).toBe(
      `not_found: revision ${develop} is a change of "sale" in develop, not in live`,
    );
    expect(await to(strange)).toBe(`not_found: revision ${strange} is not a change of the flag "sale"`);
    expect(await to(1_000_000)).toStartWith("not_found");
    expect(await to(deletion!.revision)).toStartWith('invalid: "sale" was deleted at revision');
  });
});
