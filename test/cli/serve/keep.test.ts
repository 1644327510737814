import { expect, test } from "bun:test";
import { keepValue, outdated } from "../../../cli/serve/backups/keep.ts";

const at = (time: string) => ({ at: Date.parse(time), time });
/** One every six hours for 400 days, the newest first. */
const ALL = Array.from({ length: 1600 }, (_, index) =>
  at(new Date(Date.parse("2027-03-03T18:00:00Z") - index * 6 * 3_600_000).toISOString()),
);
const keptOf = (all: typeof ALL, keep: string | number) => {
  const gone = new Set(outdated(all, keep));
  return all.filter((each) => !gone.has(each)).map(({ time }) => time.slice(0, 13));
};

test("a number keeps so many", () => {
  expect(keptOf(ALL, keepValue("2"))).toEqual(["2027-03-03T18", "2027-03-03T12"]);
});

test("days, weeks and months keep the newest of each", () => {
  expect(keptOf(ALL, keepValue("3d,3w,4m"))).toEqual([
    "2027-03-03T18",
    "2027-03-02T18",
    "2027-03-01T18",
    // Both of these were Sundays.
    "2027-02-28T18",
    "2027-02-21T18",
    "2027-01-31T18",
    "2026-12-31T18",
  ]);
  expect(keptOf(ALL, "1w")).toEqual(["2027-03-03T18"]);
});

test("days without a backup do not count, so that a server which was off keeps its older ones", () => {
  const old = [at("2027-03-03T00:00:00Z"), at("2026-01-02T00:00:00Z"), at("2025-01-02T00:00:00Z")];
  expect(keptOf(old, "2d")).toEqual(["2027-03-03T00", "2026-01-02T00"]);
});

test.each(["", "0", "0d", "7d,7d", "7d, 4w", "7h", "d", "7d,", "12345d", "-1", "7y", "7d4w"])(
  "%j is refused",
  (text) => {
    expect(() => keepValue(text)).toThrow("--backup-keep");
  },
);

test.each(["7x", "x", "", "7.5", "7 d"])(
  "%j is refused with how days, weeks and months are written",
  (text) => {
    const hint = "write 7, or 7d,4w,6m to keep one of each of the last 7 days, 4 weeks and 6 months";
    expect(() => keepValue(text)).toThrow(expect.objectContaining({ hint }));
  },
);
