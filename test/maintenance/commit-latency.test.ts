import { expect, test } from "bun:test";
import { createDistribution, observe } from "../../src/base/metrics.ts";
import { createCommitLatency } from "../../src/maintenance/commit-latency.ts";

function open() {
  const commitSeconds = createDistribution([0.001, 0.002, 0.01]);
  const clock = { now: 0 };
  const stats = async () => ({
    commitSeconds,
    commitWrites: createDistribution([]),
    queued: 0,
    queuedBytes: 0,
    bytes: 0,
  });
  const { minutes, job } = createCommitLatency({ store: { stats }, now: () => clock.now });
  const pass = async (...seconds: number[]) => {
    for (const each of seconds) observe(commitSeconds, each);
    clock.now += 60_000;
    await job.run();
  };
  return { minutes, pass };
}

test("each minute has the times of its own commits, and none without commits", async () => {
  const { minutes, pass } = open();
  await pass(0.0005, 0.0005, 0.0005, 0.0015);
  await pass();
  await pass(0.005);
  expect(minutes()).toEqual([
    { at: 60_000, commits: 4, p50: 0.667, p99: 1.96, max: 2 },
    { at: 180_000, commits: 1, p50: 6, p99: 9.92, max: 10 },
  ]);
});

test("a commit that is slower than all that is told apart counts as the slowest of these", async () => {
  const { minutes, pass } = open();
  await pass(100);
  expect(minutes()).toMatchObject([{ p50: 10, p99: 10, max: 10 }]);
});

test("a day is kept", async () => {
  const { minutes, pass } = open();
  for (let minute = 0; minute < 24 * 60 + 5; minute += 1) await pass(0.0001);
  expect(minutes().length).toBe(24 * 60);
  expect(minutes()[0]!.at).toBe(6 * 60_000);
});
