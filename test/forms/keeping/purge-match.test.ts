import { describe, expect, test } from "bun:test";
import { addressMatcher, fieldMatcher, parseWithSources } from "../../../src/forms/keeping/purge-match.ts";

describe("a megabyte of a submission that a purge looks through", () => {
  test.each([
    ["numbers", `{"l":[${"1,".repeat(500_000)}2]}`],
    ["empty lists", `{"l":[${"[],".repeat(340_000)}2]}`],
    ["numbers of twenty digits", `{"l":[${"12345678901234567890,".repeat(45_000)}2]}`],
    ["names that repeat", `{${'"a":"1",'.repeat(115_000)}"l":2}`],
    [
      "names",
      JSON.stringify(
        Object.fromEntries(Array.from({ length: 80_000 }, (_, i) => [i < 79_999 ? `n${i}` : "l", 2])),
      ),
    ],
    ["marks", JSON.stringify({ t: "\u0301\u0316".repeat(250_000), l: 2 })],
  ])("may be %s: its value is found within seconds", (_, json) => {
    const before = process.cpuUsage();
    const data = parseWithSources(json);
    expect(fieldMatcher("l", "2")(data)).toBe("match");
    expect(fieldMatcher("l", `a${"\u0301\u0316".repeat(65_000)}`)(data)).toBeNull();
    expect(addressMatcher("ada@example.com")(data)).toBeNull();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(3000);
  });
});
