import { describe, expect, test } from "bun:test";
import { type Day, HOUR_MS, dayOf, lastDays } from "../../src/base/days.ts";

const time = (text: string) => Date.parse(text);
const lengths = (days: readonly Day[]) => days.map(({ day, from, to }) => [day, to - from]);

describe("the day of a time", () => {
  test.each([
    ["2026-01-31T23:30:00Z", "UTC", "2026-01-31"],
    ["2026-01-31T23:30:00Z", "Europe/Berlin", "2026-02-01"],
    ["2026-02-01T04:59:00Z", "America/New_York", "2026-01-31"],
    ["2026-01-31T18:31:00Z", "Asia/Kolkata", "2026-02-01"],
    ["2024-02-29T12:00:00Z", "Pacific/Kiritimati", "2024-03-01"],
    ["0999-06-01T12:00:00Z", "UTC", "0999-06-01"],
  ])("%s in %s is %s", (at, zone, day) => expect(dayOf(time(at), zone)).toBe(day));

  test("is refused for what is no time zone", () => {
    for (const zone of ["Nowhere/City", "", "<b>"])
      expect(() => dayOf(0, zone)).toThrow(expect.objectContaining({ code: "invalid" }));
  });
});

describe("the last days", () => {
  test("end with the current hour, follow each other, and begin at midnight", () => {
    const now = time("2026-01-03T05:06:07Z");
    const days = lastDays(now, 3, "UTC");
    expect(lengths(days)).toEqual([
      ["2026-01-01", 24],
      ["2026-01-02", 24],
      ["2026-01-03", 6],
    ]);
    expect(days[0]!.from * HOUR_MS).toBe(time("2026-01-01T00:00:00Z"));
    expect(lastDays(time("2026-01-01T00:00:00Z"), 1, "UTC")).toMatchObject([{ day: "2026-01-01" }]);
  });

  test("are an hour shorter and longer where clocks are set", () => {
    expect(lengths(lastDays(time("2026-03-29T23:00:00Z"), 2, "Europe/Berlin"))).toEqual([
      ["2026-03-29", 23],
      ["2026-03-30", 2],
    ]);
    expect(lengths(lastDays(time("2026-10-26T12:00:00Z"), 2, "Europe/Berlin"))[0]).toEqual([
      "2026-10-25",
      25,
    ]);
  });

  test("leave out a day that a zone has skipped", () => {
    const days = lastDays(time("2011-12-31T12:00:00Z"), 3, "Pacific/Apia");
    expect(days.map(({ day }) => day)).toEqual(["2011-12-29", "2011-12-31", "2012-01-01"]);
  });
});
