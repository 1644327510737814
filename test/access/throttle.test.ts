import { expect, test } from "bun:test";
import { createThrottle } from "../../src/access/throttle.ts";

function openThrottle() {
  const clock = { now: 1_000_000 };
  const throttle = createThrottle(() => clock.now, 10, 60);
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
