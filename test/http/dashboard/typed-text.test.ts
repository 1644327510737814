import { describe, expect, test } from "bun:test";
import { parseJson } from "../../../src/http/dashboard/json-text.ts";
import { visible } from "../../../src/http/dashboard/parts/text.tsx";
import { formatShort } from "../../../src/http/dashboard/parts/time.tsx";
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

describe("a time", () => {
  const NOW = Date.parse("2026-11-29T09:14:30Z");
  const said = (time: string, hasClock = false, timeZone = "UTC") =>
    formatShort(Date.parse(time), { now: NOW, timeZone, hasClock });

  test.each([
    ["2026-11-29T09:14:30Z", "09:14", "09:14"],
    ["2026-11-29T00:00:00Z", "00:00", "00:00"],
    ["2026-11-28T23:59:59Z", "yesterday", "yesterday, 23:59"],
    ["2026-11-23T00:00:00Z", "Monday", "Mon, 00:00"],
    ["2026-11-22T23:59:59Z", "22 Nov", "22 Nov, 23:59"],
    ["2025-12-31T12:00:00Z", "31 Dec 2025", "31 Dec 2025, 12:00"],
    ["2026-11-29T09:14:59Z", "today, 09:14", "today, 09:14"],
    ["2026-11-30T00:00:00Z", "tomorrow, 00:00", "tomorrow, 00:00"],
    ["2026-12-02T09:00:00Z", "Wed, 09:00", "Wed, 09:00"],
    ["2026-12-06T09:00:00Z", "6 Dec", "6 Dec, 09:00"],
    ["2027-01-31T09:00:00Z", "31 Jan 2027", "31 Jan 2027, 09:00"],
  ])("as near as %s is said as %j, and with the clock as %j", (time, short, exact) => {
    expect([said(time), said(time, true)]).toEqual([short, exact]);
  });

  test("is of the day and the clock of the viewer", () => {
    expect(said("2026-11-29T00:30:00Z", false, "America/New_York")).toBe("yesterday");
    expect(said("2026-11-28T23:30:00Z", false, "Asia/Tokyo")).toBe("08:30");
  });
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
      "in line 1, column 1: this is not JSON: strings need double quotes",
      "in line 1, column 9: there is text after the end",
      "in line 2, column 1: JSON has no comments",
      "in line 1, column 1: a closing quote is missing",
      "in line 2, column 2: a comma is missing",
    ]);
    expect(parseJson('{"__proto__":[1]}')).toEqual({ value: JSON.parse('{"__proto__":[1]}') });
    expect(parseJson("[".repeat(100_000)).fault).toContain("levels");
  });
});
