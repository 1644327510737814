import { describe, expect, test } from "bun:test";
import { timeIn } from "../../../../src/http/dashboard/inbox/query.ts";

describe("a time of a filter", () => {
  test("is the midnight of a day where the viewer is, or a time with a zone", () => {
    const at = (text: string, zone: string) => new Date(timeIn(text, "since", zone)!).toISOString();
    expect(at("2027-01-31", "Europe/Berlin")).toBe("2027-01-30T23:00:00.000Z");
    expect(at("2027-01-31", "UTC")).toBe("2027-01-31T00:00:00.000Z");
    expect(at("2027-01-31T12:00:00+02:00", "UTC")).toBe("2027-01-31T10:00:00.000Z");
    expect(timeIn("", "since", "UTC")).toBeUndefined();
  });

  test.each(["2027-13-01", "2027-1-1", "yesterday", "2027-01-31T12:00"])("is not %j", (text) => {
    expect(() => timeIn(text, "until", "UTC")).toThrow("a day looks like 2027-01-31");
  });
});
