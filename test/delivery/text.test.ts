import { describe, expect, test } from "bun:test";
import {
  describeValue,
  escapeHtml,
  htmlLines,
  oneLine,
  parseFields,
  plainText,
} from "../../src/delivery/text.ts";

describe("one line", () => {
  test("has no line breaks, no other control characters and no space around it", () => {
    expect(oneLine("  a\r\nb\u2028c\td\0e\u0085f\u001b[31m ", 100)).toBe("a b c d e f [31m");
  });

  test("is cut between characters", () => {
    expect(oneLine("x".repeat(50), 10)).toBe(`${"x".repeat(9)}…`);
    expect(oneLine("🎉".repeat(50), 10)).toBe(`${"🎉".repeat(4)}…`);
    expect(oneLine("🎉".repeat(50), 11)).toBe(`${"🎉".repeat(5)}…`);
    expect(oneLine("\ud800x", 10).isWellFormed()).toBe(true);
  });

  test("of a long text costs no more than of a short one", () => {
    expect(oneLine(`${" ".repeat(1 << 22)}x`, 10)).toBe("");
  });
});

test("plain text keeps its lines and loses other control characters", () => {
  expect(plainText("a\r\nb\rc\u2029d\n\te\0\u001bf\u009b")).toBe("a\nb\nc\nd\n\tef");
});

test("HTML of a text shows it as it is", () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;`)).toBe(
    "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;",
  );
  expect(htmlLines("a\n  <b>")).toBe("a<br>\n&nbsp;&nbsp;&lt;b&gt;");
});

describe("a value for a person", () => {
  const shown = (value: unknown) => describeValue(value, 1000);

  test.each([
    ["text", "text"],
    [5, "5"],
    [true, "true"],
    [null, ""],
    [[], ""],
    [{}, ""],
    [["red", "green"], "red\ngreen"],
    [{ city: "Paris", zip: 75001 }, "city: Paris\nzip: 75001"],
    [{ to: { city: "Paris" }, tags: ["a", "b"] }, "to:\n  city: Paris\ntags:\n  a\n  b"],
    [[{ n: 1, at: "x\ny" }, { n: 2 }], "- n: 1\n  at: x\n    y\n- n: 2"],
  ])("%j", (value, text) => {
    expect(shown(value)).toEqual({ text, isCut: false });
  });

  test("is cut at its limit, wherever that is", () => {
    for (const value of [
      "x".repeat(20),
      [1, 2, 3, 4, 5, 6],
      { a: { b: "x".repeat(9) } },
      ["x".repeat(1 << 20)],
    ]) {
      const { text, isCut } = describeValue(value, 10);
      expect({ length: text.length <= 10, isCut }).toEqual({ length: true, isCut: true });
    }
    expect(describeValue("x".repeat(10), 10)).toEqual({ text: "x".repeat(10), isCut: false });
    expect(describeValue("", 0)).toEqual({ text: "", isCut: false });
  });

  test("costs no more than its limit", () => {
    const value = Array.from({ length: 400_000 }, () => ({}));
    expect(describeValue(value, 100).isCut).toBe(true);
  });
});

test("fields keep the digits of their numbers and any name", () => {
  const json = '{"__proto__":-0,"a":12345678901234567890,"b":[1.5,1e400,{"d":1.10}],"c":"1e400"}';
  expect(JSON.stringify(parseFields(json))).toBe(json);
  expect(describeValue(parseFields(json), 1000).text).toBe(
    "__proto__: -0\na: 12345678901234567890\nb:\n  1.5\n  1e400\n  - d: 1.10\nc: 1e400",
  );
});
