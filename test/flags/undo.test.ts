import { expect, test } from "bun:test";
import { setDetailsOf } from "../../src/flags/flags.ts";
import { undoFlags } from "../../src/flags/undo.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { reasonOf } from "../support/refusals.ts";
import { openShop } from "../support/records/shop.ts";

test("changes of many flags are taken back with one read of the segments of their environment", async () => {
  const { app, set } = await openShop();
  await set("live", { enabled: true });
  const flags = ["a", "b", "c", "d"];
  for (const flag of flags) await set("live", { enabled: true }, OPERATOR, flag);
  const patches = Object.fromEntries(flags.map((flag) => [flag, { tags: ["new"] }]));
  const made = await setDetailsOf(app, OPERATOR, "shop", patches);
  const revisions = made.map(({ record }) => record.revision);
  let reads = 0;
  const selectIn = app.store.flags.selectIn.bind(app.store.flags);
  app.store.flags.selectIn = (...place) => {
    reads += 1;
    return selectIn(...place);
  };
  const range = { first: Math.min(...revisions), last: Math.max(...revisions) };
  expect(await undoFlags(app, OPERATOR, "shop", range)).toBe(4);
  expect(reads).toBe(1);
});

test("a change of a segment is not taken back as one of the flag of that name", async () => {
  const { app, set, segment, find, history } = await openShop();
  await set("live", { enabled: true, payload: 7 });
  await segment("live", "sale", { "===": [{ var: "plan" }, "pro"] });
  await segment("live", "sale", true);
  const before = await find("live");
  const [{ revision } = { revision: 0 }] = await history({ limit: 1 });
  const undone = undoFlags(app, OPERATOR, "shop", { first: revision, last: revision });
  expect(await reasonOf(undone)).toBe("not_found revision-not-found");
  expect(await find("live")).toEqual(before);
});
