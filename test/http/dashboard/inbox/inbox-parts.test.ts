import { describe, expect, test } from "bun:test";
import { summaryOf } from "../../../../src/http/dashboard/submissions/rows.tsx";
import { timeIn } from "../../../../src/http/dashboard/inbox/query.ts";

describe("the summary of a submission", () => {
  test.each([
    [{ id: 7, "Your Name": "Ada", subject: "Tea", message: "a\n b" }, "Ada", "Tea · 7 · a b"],
    [{ first_name: "Ada", lastName: "Lovelace", email: "a@b.example" }, "Ada Lovelace", "a@b.example"],
    [{ message: "Hello", email: "a@b.example" }, "a@b.example", "Hello"],
    [{ name: "  ", rating: 5, tags: ["a", { b: "c" }, null] }, "5", "a, c"],
    [{ ok: false }, "false", ""],
    [{}, "No fields", ""],
  ])("of %j begins with the sender", (data, from, text) => {
    expect(summaryOf(data)).toEqual({ from, text });
  });

  test("is cut between characters", () => {
    const { from } = summaryOf({ name: "👩".repeat(100) });
    expect(from).toBe(`${"👩".repeat(79)}…`);
  });
});

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
