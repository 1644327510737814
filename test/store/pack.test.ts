import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Outcome } from "../../src/store/outcome.ts";
import type { Write } from "../../src/store/sqlite/pack.ts";
import {
  packBatch,
  packOutcomes,
  travelsAlone,
  unpackBatch,
  unpackOutcomes,
} from "../../src/store/sqlite/pack.ts";

const insert = (
  data: unknown,
  files: unknown[] = [],
  conditions: unknown = null,
  deliveries: unknown[] = [],
  meta: string | null = null,
): Write => ({
  name: "insertSubmission",
  args: [
    "019a9b0c-0001-7000-8000-000000000001",
    "form-key",
    JSON.stringify(data),
    1_700_000_000_000,
    files,
    conditions,
    deliveries,
    meta,
    meta,
    deliveries.length === 0 ? null : deliveries,
  ],
});

test("a batch of submissions without files travels as one text, and arrives as it was", () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), { minLength: 1 }),
      fc.option(fc.record({ spam: fc.string({ unit: "binary" }) })),
      fc.array(fc.record({ target: fc.string({ unit: "binary" }) })),
      fc.option(fc.record({ userAgent: fc.string({ unit: "binary" }) })),
      (rows, conditions, deliveries, meta) => {
        const text = meta && JSON.stringify(meta);
        const writes = rows.map((data) => insert(data, [], conditions, deliveries, text));
        const packed = packBatch(writes);
        expect(packed).toBeString();
        expect(unpackBatch(packed)).toEqual(writes);
      },
    ),
  );
});

test("visitors of experiments travel in the same text as submissions", () => {
  const measured = [
    { measurement: 7, visitor: "0123456789abcdef", variant: 1, metrics: 0 },
    { measurement: 7, visitor: "fedcba9876543210", variant: null, metrics: 3 },
  ];
  const key = { hash: "ab", content: "cd", expiresAt: 1_700_000_000_000 };
  const writes: Write[] = [
    insert({ a: 1 }),
    { name: "measurements.take", args: [{ measured, accepted: 2, at: 1_700_000_000_000, key }] },
    { name: "measurements.count", args: [measured] },
    insert({ b: 2 }),
  ];
  const packed = packBatch(writes);
  expect(packed).toBeString();
  expect(unpackBatch(packed)).toEqual(writes);
});

test("a batch with any other write arrives as it was", () => {
  const file = { key: "a.1", field: "cv", name: "cv.pdf", type: "application/pdf", size: 1, sha256: "0" };
  for (const other of [insert({ a: 1 }, [file]), { name: "probe", args: [] } as Write])
    expect(unpackBatch(packBatch([insert({ a: 1 }), other]))).toEqual([insert({ a: 1 }), other]);
});

test("outcomes arrive as they were", () => {
  const done: Outcome = { ok: true, value: undefined };
  const failed: Outcome = { ok: false, code: "bug", message: "disk" };
  expect(unpackOutcomes(packOutcomes([done, done]), 2)).toEqual([done, done]);
  const mixed: Outcome[] = [{ ok: true, value: false }, failed];
  expect(unpackOutcomes(packOutcomes(mixed), 2)).toEqual(mixed);
});

test("the texts of a large change travel as a list of texts, without other writes", () => {
  const write: Write = { name: "applyTexts", args: [["[1]", "[2]"], 7, { who: "ann", at: 1 }] };
  const packed = packBatch([write]);
  expect(packed).toEqual([JSON.stringify([7, { who: "ann", at: 1 }]), "[1]", "[2]"]);
  expect(unpackBatch(packed)).toEqual([write]);
  expect([travelsAlone(write), travelsAlone(insert({}))]).toEqual([true, false]);
});
