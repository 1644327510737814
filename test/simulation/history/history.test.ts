import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../faults/load.ts";
import { type Kind, faultIn } from "./checker.ts";
import type { Call } from "./history.ts";
import { isLinearizable } from "./search.ts";

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
    [
      "the same, and another unknown one was read later",
      [
        write(1, 0, 10),
        write(null, 11, Infinity),
        conflict(1, 13, 14),
        write(3, 15, 16),
        write(null, 17, Infinity),
        read(4, 18, 19),
      ],
    ],
    [
      "an unknown write was made after later ones",
      [write(1, 0, 1), write(null, 2, Infinity), write(2, 3, 4), read(2, 5, 6), read(3, 7, 8)],
    ],
    [
      "two unknown writes were made, the later one first",
      [write(null, 0, Infinity, 7), write(null, 1, Infinity), read(7, 2, 3), read(8, 4, 5), write(9, 6, 7)],
    ],
    [
      "of writes that expect the same one is made",
      [write(1, 0, 1), write(2, 2, 9, 1), conflict(1, 3, 8), conflict(1, 4, 7), read(2, 10, 11)],
    ],
    [
      "readers beside a write see it in an order that both share",
      [write(1, 0, 1), write(2, 2, 9), read(1, 3, 5), read(2, 4, 6), read(2, 7, 8)],
    ],
    ["a refusal was before what it expected", [write(1, 0, 1), conflict(2, 2, 5), write(2, 3, 9)]],
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
    [
      "readers of overlapping writes disagree",
      [write(1, 0, 9), write(2, 0, 9), read(2, 1, 2), read(1, 3, 4)],
    ],
    [
      "an unknown write was made twice",
      [write(1, 0, 1), write(null, 2, Infinity, 1), read(2, 3, 4), read(3, 5, 6)],
    ],
    ["an unknown write is read before it began", [write(1, 0, 1), read(2, 2, 3), write(null, 4, Infinity)]],
    [
      "an unknown write is read, then what it replaced",
      [write(1, 0, 1), write(null, 2, Infinity), read(2, 3, 4), read(1, 5, 6)],
    ],
    [
      "two writes that expect the same one are both made",
      [write(1, 0, 1), write(2, 2, 9, 1), write(3, 3, 8, 1)],
    ],
    [
      "a refusal has no moment: the next write began behind it",
      [write(1, 0, 1), read(1, 2, 3), conflict(1, 4, 5), write(2, 6, 7)],
    ],
    [
      "refusals leave no moment for a read",
      [write(1, 0, 9), read(1, 2, 3), conflict(1, 4, 5), write(2, 8, 12)],
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

describe("a register is regular where", () => {
  test.each<[string, Call[], boolean]>([
    [
      "readers see a write under way in either order",
      [write(1, 0, 9), write(2, 10, 40), read(2, 11, 12), read(1, 13, 14)],
      true,
    ],
    [
      "but not behind its answer",
      [write(1, 0, 9), write(2, 10, 40), read(2, 11, 12), read(1, 41, 42)],
      false,
    ],
    ["and not before its begin", [write(1, 0, 9), read(2, 10, 11), write(2, 12, 40)], false],
    [
      "an unknown write may be read once and not again",
      [write(1, 0, 9), write(null, 10, Infinity), read(2, 11, 12), read(1, 13, 14)],
      true,
    ],
    ["a write was lost", [write(1, 0, 9), write(2, 10, 11), write(3, 12, 13, 1)], false],
  ])("%s", (_, calls, isRegular) => expect(faultIn(calls, "regular") === null).toBe(isRegular));
});

test("a fault is shown by the two calls that contradict each other", () => {
  const calls = [write(1, 0, 9), write(2, 10, 40), read(1, 11, 12), read(2, 13, 14), read(1, 15, 16)];
  expect(faultIn([...calls, read(2, 50, 51), write(3, 60, 70)])).toBe(
    `sale: revision 2 cannot have been made in time:\n  ${JSON.stringify(calls[3])}\n  ${JSON.stringify(calls[4])}`,
  );
});

test("the checker agrees with a search of every order, on thousands of short histories", () => {
  const { below } = seededRandom(5);
  const verdicts = { true: 0, false: 0 };
  for (let round = 0; round < 6000; round += 1) {
    const calls = randomCalls(below);
    const isSound = isLinearizable(calls);
    verdicts[`${isSound}`] += 1;
    if ((faultIn(calls) === null) !== isSound)
      throw new Error(`${isSound}: ${faultIn(calls)}\n${calls.map((c) => JSON.stringify(c)).join("\n")}`);
  }
  expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(1000);
});

/** A history that a register made, of which one call in some is changed. */
function randomCalls(below: (limit: number) => number): Call[] {
  const calls: Call[] = [];
  let revision = 1;
  const isChanged = below(2) === 0;
  for (let at = 0; at < 40; at += 5) {
    const begin = at - below(8);
    const end = at + below(8);
    const expected = below(3) === 0 ? revision : null;
    const wrong = isChanged && below(5) === 0 ? below(3) - 1 : 0;
    const kind = below(6);
    if (kind < 2) calls.push(write((revision += 1) + wrong, begin, end, expected));
    else if (kind === 2 && calls.every((call) => call.end < Infinity)) {
      if (below(2) === 0) revision += 1;
      calls.push(write(null, begin, Infinity, expected));
    } else if (kind === 3) calls.push(conflict(revision - (isChanged ? below(2) : 1), begin, end));
    else calls.push(read(revision + wrong, begin, end));
  }
  const written = calls.flatMap(({ kind, revision: own }) => (kind === "write" && own !== null ? [own] : []));
  return new Set(written).size === written.length ? calls : randomCalls(below);
}

test.each<Kind>(["linearizable", "regular"])(
  "fifty thousand calls of a hundred clients to two flags are checked within a minute: %s",
  (kind) => {
    const calls = hardHistory(50_000);
    const start = performance.now();
    expect(faultIn(calls, kind)).toBeNull();
    const took = performance.now() - start;
    if (process.env["FORMFLAG_SIMULATE_SECONDS"] !== undefined)
      process.stderr.write(`${calls.length} calls, ${kind}: ${Math.round(took)} ms\n`);
    expect(took).toBeLessThan(60_000);
    const stale = { ...calls.findLast((call) => call.kind === "read")! };
    expect(faultIn([...calls, { ...stale, revision: stale.revision! - 500 }], kind)).not.toBeNull();
  },
);

/** Each call overlaps a hundred others; one write in ten has no known outcome, and a third of those was made. */
function hardHistory(size: number): Call[] {
  const { below } = seededRandom(7);
  const revisions = new Map<string, number>();
  const known = new Set<string>();
  const calls: Call[] = [];
  for (let at = 0; calls.length < size; at += 1) {
    const flag = below(2) === 0 ? "sale" : "search";
    const revision = revisions.get(flag) ?? 0;
    const begin = at - below(100);
    const end = at + below(100);
    const kind = below(10);
    const isUnknown = below(10) === 0;
    const expected = below(2) === 0 && known.has(`${flag} ${revision}`) ? revision : null;
    const isMade = kind < 3 && (!isUnknown || below(3) === 0);
    if (isMade) revisions.set(flag, revision + 1);
    if (isMade && !isUnknown) known.add(`${flag} ${revision + 1}`);
    if (kind < 3)
      calls.push(
        isUnknown
          ? { ...write(null, begin, Infinity, isMade ? expected : null), flag }
          : { ...write(revision + 1, begin, end, expected), flag },
      );
    else if (kind === 3 && revision > 1) calls.push({ ...conflict(revision - 1, begin, end), flag });
    else if (revision > 0) calls.push({ ...read(revision, begin, end), flag });
  }
  return calls;
}
