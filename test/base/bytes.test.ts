import { describe, expect, test } from "bun:test";
import { assert, constantFrom, integer, property } from "fast-check";
import { formatBytes, parseBytes } from "../../src/base/bytes.ts";

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

describe("a size in words", () => {
  test.each([
    [0, "0 bytes"],
    [1, "1 byte"],
    [1023, "1023 bytes"],
    [KiB, "1 KB"],
    [256 * KiB, "256 KB"],
    [MiB, "1 MB"],
    [1.5 * MiB, "1.5 MB"],
    [10 * MiB, "10 MB"],
    [10 * GiB, "10 GB"],
  ])("of %d bytes is %s, and is read back as the same", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
    expect(parseBytes(text)).toBe(bytes);
  });

  test.each([
    ["10MB", 10 * MiB],
    ["10mb", 10 * MiB],
    ["10 MiB", 10 * MiB],
    ["10M", 10 * MiB],
    ["1.5 MB", 1.5 * MiB],
    ["500k", 500 * KiB],
    ["2g", 2 * GiB],
    ["0", 0],
    ["1024", 1024],
    ["2048", 2048],
    ["10B", 10],
    ["2048 B", 2048],
    ["1 byte", 1],
    [" 7 bytes ", 7],
  ])("may be written %j", (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes);
  });

  test.each([
    "",
    " ",
    "MB",
    "-1",
    "1,5 MB",
    "1e3",
    "0x10",
    "ten",
    "1 TB",
    "10",
    "1023",
    "0.5",
    "1 MB extra",
    ".5",
    "NaN",
    "Infinity",
  ])("is not %j", (text) => {
    expect(parseBytes(text)).toBeUndefined();
  });

  test("comes back the same for every whole number of units", () => {
    assert(
      property(integer({ min: 1, max: 1023 }), constantFrom(1, KiB, MiB, GiB), (count, unit) => {
        expect(parseBytes(formatBytes(count * unit))).toBe(count * unit);
      }),
    );
  });

  test("comes back within a twentieth of its unit for any number of bytes", () => {
    assert(
      property(integer({ min: 0, max: 100 * GiB }), (bytes) => {
        const unit = [GiB, MiB, KiB].find((unit) => bytes >= unit) ?? 1;
        const back = parseBytes(formatBytes(bytes));
        expect(back).toBeDefined();
        expect(Math.abs(back! - bytes)).toBeLessThanOrEqual(unit / 20 + 1);
      }),
    );
  });
});
