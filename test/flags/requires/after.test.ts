import { expect, test } from "bun:test";
import type { FlagChange } from "../../../src/flags/change.ts";
import { BLANK } from "../../../src/flags/flag.ts";
import { putFlag } from "../../../src/flags/plan.ts";
import { requireNeedsAfter } from "../../../src/flags/requires/after.ts";
import { requirementsText } from "../../../src/flags/requires/requirement.ts";
import { openShop } from "../../support/records/shop.ts";

/** How often the changes are read that create `count` flags, each with another one that needs it. */
async function readsFor(count: number): Promise<number> {
  const { app, place } = await openShop();
  const rules = JSON.stringify({ variants: { a: "a", b: "b" }, defaultVariant: "a" });
  let reads = 0;
  const put = (flag: string, more: object): FlagChange => {
    const record = { ...BLANK, slug: flag, createdAt: 0, updatedAt: 0, revision: 1, ...more };
    const { change, ...rest } = putFlag(place("live", flag), undefined, record);
    return Object.defineProperty({ ...rest } as FlagChange, "change", {
      get() {
        reads += 1;
        return change;
      },
    });
  };
  const changes = Array.from({ length: count }, (_, at) => [
    put(`needed-${at}`, { rules }),
    put(`needing-${at}`, { requires: requirementsText([{ flag: `needed-${at}` }]) }),
  ]);
  await requireNeedsAfter(app.store, changes.flat());
  return reads;
}

test("twice as many flags that need others are checked by reading twice as many changes", async () => {
  expect(await readsFor(200)).toBe(2 * (await readsFor(100)));
});
