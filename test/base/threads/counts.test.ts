import { describe, expect, test } from "bun:test";
import { createCountsMemory, openCounts } from "../../../src/base/threads/counts.ts";

/** The counts as two threads see them. */
function openTwice() {
  const memory = createCountsMemory();
  return [openCounts(memory), openCounts(memory)] as const;
}

describe("counts that threads share", () => {
  test("count a key in one window, which ends at the same time for both", () => {
    const [one, other] = openTwice();
    expect(one.count("a", 1000, 500)).toEqual({ count: 1, endsAt: 1500 });
    expect(other.count("a", 1400, 500)).toEqual({ count: 2, endsAt: 1500 });
    expect(one.count("b", 1400, 500)).toEqual({ count: 1, endsAt: 1900 });
    expect(one.count("a", 1500, 500)).toEqual({ count: 1, endsAt: 2000 });
  });

  test("give away no more places of a key than there are", () => {
    const [one, other] = openTwice();
    expect([one.enter("a", 2), other.enter("a", 2), one.enter("a", 2)]).toEqual([true, true, false]);
    other.leave("a");
    expect([one.enter("a", 2), other.enter("a", 2), other.enter("b", 2)]).toEqual([true, false, true]);
  });

  test("keep every place that is taken, however many windows and keys come", () => {
    const [one, other] = openTwice();
    for (let key = 0; key < 10_000; key += 1) expect(one.enter(`client ${key}`, 1)).toBe(true);
    for (let key = 0; key < 10_000; key += 1) expect(other.enter(`client ${key}`, 1)).toBe(false);
    for (let key = 0; key < 10_000; key += 1) one.leave(`client ${key}`);
    expect(other.enter("client 7", 1)).toBe(true);
  });

  test("remember the windows of 10,000 senders, and forget those that end first past their room", () => {
    const [one, other] = openTwice();
    for (let sender = 0; sender < 10_000; sender += 1) one.count(`${sender}`, 0, 1000);
    for (let sender = 0; sender < 10_000; sender += 1)
      expect(other.count(`${sender}`, 1, 1000).count).toBe(2);
    for (let sender = 0; sender < 200_000; sender += 1) one.count(`flood ${sender}`, 2, 10);
    expect(other.count("new", 3, 1000).count).toBe(1);
  });

  test("lose none of what threads count at the same time", async () => {
    const memory = createCountsMemory();
    const code = `
      const { openCounts } = await import(${JSON.stringify(new URL("../../../src/base/threads/counts.ts", import.meta.url).href)});
      self.onmessage = ({ data }) => {
        const counts = openCounts(data);
        for (let turn = 0; turn < 20000; turn += 1) counts.count("a", 0, 1000);
        self.postMessage("done");
      };
      self.postMessage("ready");`;
    const url = URL.createObjectURL(new Blob([code], { type: "application/javascript" }));
    const workers = [new Worker(url), new Worker(url)];
    await Promise.all(
      workers.map(
        (worker) =>
          new Promise<void>((resolve) => {
            worker.onmessage = ({ data }) => (data === "ready" ? worker.postMessage(memory) : resolve());
          }),
      ),
    );
    for (const worker of workers) worker.terminate();
    expect(openCounts(memory).count("a", 0, 1000).count).toBe(40_001);
  });
});
