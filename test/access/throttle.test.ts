import { expect, test } from "bun:test";
import { createTurns } from "../../src/access/passwords.ts";
import { createThrottle } from "../../src/access/throttle.ts";

function openThrottle() {
  const clock = { now: 1_000_000 };
  const throttle = createThrottle(() => clock.now);
  const fail = (name: string, times = 1) => {
    for (let count = 0; count < times; count += 1) throttle.count(name);
  };
  /** The seconds that a name has to wait; 0 for none. */
  const wait = (name: string): number => {
    try {
      throttle.check(name);
      return 0;
    } catch (error) {
      expect(error).toMatchObject({ code: "rate_limited", reason: "password-throttled" });
      return (error as { retryAfter: number }).retryAfter;
    }
  };
  return { clock, throttle, fail, wait };
}

test("ten wrong passwords pass, then each next one waits for a minute", () => {
  const { clock, fail, wait } = openThrottle();
  fail("ann", 9);
  expect(wait("ann")).toBe(0);
  fail("ann");
  expect(wait("ann")).toBe(60);
  clock.now += 59_001;
  expect(wait("ann")).toBe(1);
  clock.now += 999;
  expect(wait("ann")).toBe(0);
  fail("ann");
  expect(wait("ann")).toBe(60);
});

test("nobody waits longer than a minute, however many passwords were wrong at once", () => {
  const { clock, fail, wait } = openThrottle();
  fail("ann", 1000);
  expect(wait("ann")).toBe(60);
  clock.now += 60_000;
  expect(wait("ann")).toBe(0);
});

test("a name has its own count, which the right password resets and time forgets", () => {
  const { clock, throttle, fail, wait } = openThrottle();
  fail("ann", 10);
  expect(wait("Ann")).toBe(0);
  throttle.reset("ann");
  fail("ann", 9);
  expect(wait("ann")).toBe(0);
  clock.now += 9 * 60_000;
  fail("ann", 9);
  expect(wait("ann")).toBe(0);
});

test("names that nobody has do not push out one that has to wait", () => {
  const { clock, fail, wait } = openThrottle();
  fail("ann", 10);
  clock.now += 30_000;
  for (let count = 0; count < 9000; count += 1) fail(`one-${count}`);
  clock.now += 29_000;
  expect(wait("ann")).toBe(1);
  // What is kept is bounded: the oldest give way.
  for (let count = 0; count < 20_000; count += 1) fail(`two-${count}`);
  expect(wait("ann")).toBe(0);
});

test("works take turns, and no more wait than may", async () => {
  const turns = createTurns(2, 1);
  const started: number[] = [];
  const ends = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const run = (index: number) =>
    turns(async () => {
      started.push(index);
      await ends[index]!.promise;
      if (index === 0) throw new Error("failed");
    });
  const [first, second, third] = [run(0), run(1), run(2)];
  const settled = Promise.allSettled([first, second, third]);
  const refused = await run(3).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "rate_limited", reason: "sign-in-busy", retryAfter: 1 });
  expect(started).toEqual([0, 1]);
  ends[0]!.resolve();
  expect(await first.catch(String)).toContain("failed");
  ends[2]!.resolve();
  await third;
  expect(started).toEqual([0, 1, 2]);
  ends[1]!.resolve();
  await settled;
  await Promise.all([run(1), run(2)]);
});
