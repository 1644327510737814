import { describe, expect, test } from "bun:test";
import { createTurns } from "../../src/blobs/s3/client.ts";

const MiB = 1024 * 1024;

/** Begins works with bodies of these sizes, which end one after the other; returns what was under way at most. */
async function run(sizes: number[]) {
  const inTurn = createTurns();
  const most = { requests: 0, bytes: 0 };
  const underway: { index: number; size: number; end: () => void }[] = [];
  const order: number[] = [];
  const works = sizes.map((size, index) =>
    inTurn(size, async () => {
      const { promise, resolve: end } = Promise.withResolvers<void>();
      order.push(index);
      underway.push({ index, size, end });
      most.requests = Math.max(most.requests, underway.length);
      most.bytes = Math.max(
        most.bytes,
        underway.reduce((sum, each) => sum + each.size, 0),
      );
      await promise;
      if (index % 3 === 0) throw new Error("failed");
    }),
  );
  const results = Promise.allSettled(works);
  while (order.length < sizes.length || underway.length > 0) {
    // Everything that may begin has begun.
    await Bun.sleep(0);
    underway.shift()?.end();
  }
  await results;
  return { most, order };
}

describe("turns for requests", () => {
  test("let sixteen requests be under way, in order, whether they fail or not", async () => {
    const { most, order } = await run(Array.from({ length: 50 }, () => 10));
    expect(most.requests).toBe(16);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  test("let 32 MB of bodies be under way", async () => {
    const { most } = await run(Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? 8 : 3) * MiB));
    expect(most.bytes).toBeGreaterThan(24 * MiB);
    expect(most.bytes).toBeLessThanOrEqual(32 * MiB);
  });

  test("let a body that is larger than that go alone", async () => {
    const { most, order } = await run([MiB, 40 * MiB, MiB]);
    expect([most, order]).toEqual([{ requests: 1, bytes: 40 * MiB }, [0, 1, 2]]);
  });
});
