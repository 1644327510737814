import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { csvCell, readCell, unescapeFormulas } from "../../../src/forms/transfer/csv.ts";

describe("a cell of CSV", () => {
  test("is nothing where there is no value", () => {
    expect([undefined, null, ""].map((each) => csvCell(each))).toEqual(["", "", '""']);
  });

  test.each([
    ["plain", '"plain"'],
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\r\nlines", '"two\r\nlines"'],
    ["plain text; with; semicolons", '"plain text; with; semicolons"'],
    [" spaces ", '" spaces "'],
    ["Grüße 🎉", '"Grüße 🎉"'],
    ["a=b; 1-1; me@example.com", '"a=b; 1-1; me@example.com"'],
    ["'quoted", `"'quoted"`],
  ])("has the text %j in quotes", (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });

  test.each([
    ["=1+1", `"'=1+1"`],
    ["+49 30 1234=1", `"'+49 30 1234=1"`],
    ["-1+1", `"'-1+1"`],
    ["+cmd|' /C calc'!A0", `"'+cmd|' /C calc'!A0"`],
    ["'=1", `"''=1"`],
    ["x;'=1", `"x;''=1"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    ["\tx", `"'\tx"`],
    ["\rx", `"'\rx"`],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ["＝1+1", `"'＝1+1"`],
    ["x;=1+1", `"x;'=1+1"`],
    ["x\t+a1", `"x\t'+a1"`],
    ["x\n@a", `"x\n'@a"`],
    ['x; ;"=1', `"x; ;""'=1"`],
    ["=1;＝2", `"'=1;'＝2"`],
  ])("prefixes each part of %j that a spreadsheet would run", (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });

  test.each([
    "-1",
    "+1.5",
    "-0,5",
    "+49 30 1234",
    "+1 (555) 010-0000",
    "+49/30.12-34",
    "x;-1",
    "a\n+49 30 1234;b",
    "'tis",
    "it's",
  ])("leaves the number, the phone number or the plain text %j as it is", (text) => {
    expect(csvCell(text)).toBe(`"${text}"`);
  });

  test("is read as the text that it was made from, whatever its quotes", () => {
    const part = fc.constantFrom(";", "\t", "\n", '"', " ", "=", "+", "-", "@", "'", "1", "2", ".", "a");
    const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (value) => {
        expect(readCell(csvCell(value).slice(1, -1).replaceAll('""', '"'), true)).toBe(value);
      }),
      { numRuns: 5000 },
    );
  });

  test("is read in time however many separators it has", () => {
    const text = ";".repeat(256 * 1024);
    expect(unescapeFormulas(`${text}'=1`)).toBe(`${text}=1`);
    expect(unescapeFormulas(text)).toBe(text);
  });

  test("has other values as JSON, numbers as numbers", () => {
    expect([-1.5, 0, true, false].map((each) => csvCell(each))).toEqual(["-1.5", "0", "true", "false"]);
    expect(csvCell(["=1", "b"])).toBe('"[""=1"",""b""]"');
    expect(csvCell({ a: null })).toBe('"{""a"":null}"');
  });

  test("holds no formula for a program that splits at semicolons, tabs or line ends, and its JSON is exact", () => {
    const part = fc.constantFrom(";", "\t", "\n", '"', " ", "=", "+", "-", "@", "＝", "'", ",", "a", "\\");
    const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
    const json = fc.oneof(fc.array(text), fc.dictionary(text, text));
    fc.assert(
      fc.property(fc.oneof(text, json), (value) => {
        const cell = csvCell(value);
        for (const part of cell.split(/[;\t\r\n]/).slice(1)) expect(part).not.toMatch(/^["\s]*[=+\-@＝]/);
        expect(cell).not.toMatch(/^"?[=+\-@＝\t\r\n]/);
        if (typeof value === "object")
          expect(JSON.parse(cell.slice(1, -1).replaceAll('""', '"'))).toEqual(value);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["a,=1", `"a,'=1"`],
    ["a, @b", `"a, '@b"`],
    ['a,"=1', `"a,""'=1"`],
    ["a,-1,5;b", `"a,-1,5;b"`],
    [["a,=1", -2], '"[""a,\\u003d1"",-2]"'],
    [{ "=k": ["=v"] }, '"{""\\u003dk"":[""\\u003dv""]}"'],
  ])("of semicolons or tabs also has no formula behind a comma: %j", (value, cell) => {
    for (const delimiter of [";", "\t"]) expect(csvCell(value, delimiter)).toBe(cell);
    expect(csvCell("a,=1")).toBe('"a,=1"');
  });

  test("of semicolons or tabs holds no formula for a program that splits at commas, and is read as it was", () => {
    const part = fc.constantFrom(
      ";",
      ",",
      "\t",
      "\n",
      '"',
      " ",
      "=",
      "+",
      "-",
      "@",
      "'",
      "1",
      ".",
      "a",
      "\\",
    );
    const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
    const json = fc.oneof(fc.array(text), fc.dictionary(text, text));
    fc.assert(
      fc.property(fc.oneof(text, json), (value) => {
        const cell = csvCell(value, ";");
        for (const part of cell.split(/[,;\t\r\n]/).slice(1))
          expect(part.replace(/^["\s]*(?:[+-]?[\d ./()]+|\+\d[\d ./()-]*)"?$/, "")).not.toMatch(
            /^["\s]*[=+\-@]/,
          );
        expect(readCell(cell.slice(1, -1).replaceAll('""', '"'), true, ";")).toEqual(value);
      }),
      { numRuns: 5000 },
    );
  });
});
