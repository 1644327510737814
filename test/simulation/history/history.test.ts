import { describe, expect, test } from "bun:test";
import { type Call, faultIn } from "./history.ts";

const read = (revision: number, begin: number, end: number): Call => ({
  kind: "read",
  flag: "sale",
  begin,
  end,
  revision,
});
const write = (
  revision: number | null,
  begin: number,
  end: number,
  expected: number | null = null,
): Call => ({
  kind: "write",
  flag: "sale",
  begin,
  end,
  revision,
  expected,
});
const conflict = (expected: number, begin: number, end: number): Call => ({
  kind: "conflict",
  flag: "sale",
  begin,
  end,
  revision: null,
  expected,
});

describe("a history is linearizable where", () => {
  test.each([
    ["reads follow writes", [write(1, 0, 10), read(1, 11, 12), write(2, 13, 20), read(2, 21, 22)]],
    ["a read during a write shows what was before", [write(1, 0, 10), write(2, 20, 30), read(1, 21, 29)]],
    ["it shows what comes", [write(1, 0, 10), write(2, 20, 30), read(2, 21, 22), read(2, 23, 24)]],
    [
      "writes overlap, and their revisions say their order",
      [write(2, 0, 10), write(1, 5, 12), read(2, 13, 14)],
    ],
    [
      "an unknown write was made late",
      [write(1, 0, 10), write(null, 11, Infinity), read(1, 90, 91), read(2, 92, 93)],
    ],
    ["an unknown write was never made", [write(1, 0, 10), write(null, 11, Infinity), read(1, 90, 91)]],
    ["a write expects the one before it", [write(1, 0, 10), write(2, 11, 12, 1)]],
    [
      "a write is refused that expects an older one",
      [write(1, 0, 10), write(2, 11, 12), conflict(1, 13, 14)],
    ],
    ["a write is refused beside another", [write(1, 0, 10), conflict(1, 11, 20), write(2, 12, 30)]],
    [
      "a write is refused behind an unknown one that nobody has read",
      [write(1, 0, 10), write(null, 11, Infinity), conflict(1, 13, 14), write(3, 15, 16)],
    ],
    ["the first state is older than the history", [read(7, 0, 1), write(8, 2, 3), read(8, 4, 5)]],
  ])("%s", (_, calls) => expect(faultIn(calls)).toBeNull());
});

describe("a history is not where", () => {
  test.each([
    ["a read misses a write that has ended", [write(1, 0, 10), write(2, 11, 12), read(1, 13, 14)]],
    [
      "a read takes back what another has shown",
      [write(1, 0, 9), write(2, 10, 40), read(2, 11, 12), read(1, 13, 14)],
    ],
    ["a read shows a write before it began", [write(1, 0, 10), read(2, 11, 12), write(2, 13, 14)]],
    ["a revision is smaller than one that was written before", [write(2, 0, 10), write(1, 11, 12)]],
    [
      "a write was lost under one that did not expect it",
      [write(1, 0, 10), write(2, 11, 12), write(3, 13, 14, 1)],
    ],
    ["nobody has written what is read", [write(1, 0, 10), read(2, 11, 12)]],
    [
      "two states come from one unknown write",
      [write(1, 0, 1), write(null, 2, Infinity), read(2, 3, 4), read(3, 5, 6)],
    ],
    [
      "a write is refused that expects what is there",
      [write(1, 0, 10), read(1, 11, 12), conflict(1, 13, 14), read(1, 15, 16)],
    ],
  ])("%s", (_, calls) => expect(faultIn(calls)).toMatch(/^sale: /));
});

test("fifty thousand calls are checked within seconds", () => {
  const calls: Call[] = [];
  for (let at = 0; at < 50_000; at += 1)
    calls.push(
      at % 5 === 0
        ? write(at / 5 + 1, at * 10, at * 10 + 15)
        : read(Math.floor(at / 5) + 1, at * 10 + 6, at * 10 + 9),
    );
  const start = performance.now();
  expect(faultIn(calls)).toBeNull();
  expect(performance.now() - start).toBeLessThan(10_000);
});
