import { describe, expect, test } from "bun:test";
import { parseJson } from "../../../src/http/dashboard/json-text.ts";
import { visible } from "../../../src/http/dashboard/parts/text.tsx";
import { formatRelative } from "../../../src/http/dashboard/relative-time.ts";
import { parseWallTime, wallTime } from "../../../src/base/wall-time.ts";

describe("a time in a field", () => {
  test("is of the time zone of the viewer, on either side of a change of clocks", () => {
    const times = [
      "2026-03-29T00:59:00Z",
      "2026-03-29T01:00:00Z",
      "2026-10-25T02:30:00Z",
      "2026-01-02T03:04:05Z",
    ];
    for (const zone of ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Chatham"])
      for (const time of times) {
        const at = Date.parse(time);
        expect([zone, parseWallTime(wallTime(at, zone), zone)]).toEqual([zone, at]);
      }
    expect(wallTime(Date.parse("2026-07-01T10:00:00Z"), "Europe/Berlin")).toBe("2026-07-01T12:00");
  });

  test.each([
    ["2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30:00Z"],
    ["2026-03-08T02:30", "America/New_York", "2026-03-08T07:30:00Z"],
    ["2026-03-08T02:00", "America/Los_Angeles", "2026-03-08T10:00:00Z"],
    ["2026-09-06T00:00", "America/Santiago", "2026-09-06T04:00:00Z"],
    ["2026-09-27T02:45", "Pacific/Auckland", "2026-09-26T14:45:00Z"],
    ["2026-10-04T02:15", "Australia/Lord_Howe", "2026-10-03T15:45:00Z"],
  ])("that the clocks skip, %s in %s, is as much later", (text, zone, time) => {
    expect(new Date(parseWallTime(text, zone)!).toISOString()).toBe(new Date(time).toISOString());
  });

  test.each([
    ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00Z"],
    ["2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00Z"],
  ])("that the clocks show twice, %s in %s, is the first", (text, zone, time) => {
    expect(parseWallTime(text, zone)).toBe(Date.parse(time));
  });

  test("is none where it is not written as one", () => {
    for (const text of ["", "tomorrow", "2026-13-01T00:00", "2026-01-01", "2026-01-01T00:00Z"])
      expect(parseWallTime(text, "UTC")).toBeNull();
  });
});

test("a time is said in whole units, rounded", () => {
  const minutes = (count: number) => formatRelative(count * 60_000, 0);
  expect([0.5, -0.5, 1.4, 59.4, 59.6, 119, -119].map(minutes)).toEqual([
    "in under a minute",
    "just now",
    "in 1 min.",
    "in 59 min.",
    "in 1 hr.",
    "in 2 hr.",
    "2 hr. ago",
  ]);
  expect([23.6 * 60, 29.7 * 24 * 60, 364 * 24 * 60].map(minutes)).toEqual([
    "tomorrow",
    "next mo.",
    "next yr.",
  ]);
});

test("line breaks of any system are line breaks, and other controls are shown", () => {
  expect(visible("a\r\nb\rc\nd\te\u0007")).toBe("a\nb\nc\nd\te\u2407");
});

describe("JSON that somebody typed", () => {
  test("is broken in a line that the message names", () => {
    const faults = [
      '{"a":1,}',
      '{"a":\n1\n"b":2}',
      '["a"',
      "",
      "'a'",
      '{"a":1} 2',
      "{\n// a\n}",
      '"a\nb"',
      "[1,\n01]",
    ];
    expect(faults.map((text) => parseJson(text).fault)).toEqual([
      "in line 1, column 8: a name in double quotes is missing",
      "in line 3, column 1: a comma is missing",
      "in line 1, column 5: a closing bracket is missing",
      "in line 1, column 1: a value is missing",
      "in line 1, column 1: this is not JSON: texts stand in double quotes",
      "in line 1, column 9: there is something behind the end",
      "in line 2, column 1: JSON has no comments",
      "in line 1, column 1: a closing quote is missing",
      "in line 2, column 2: a comma is missing",
    ]);
    expect(parseJson('{"__proto__":[1]}')).toEqual({ value: JSON.parse('{"__proto__":[1]}') });
    expect(parseJson("[".repeat(100_000)).fault).toContain("levels");
  });
});
