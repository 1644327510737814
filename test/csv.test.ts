import { describe, expect, test } from "bun:test";
import { csvLine } from "../src/csv.ts";

describe("a line of CSV", () => {
  test("has its cells between commas and no end", () => {
    expect(csvLine(["a", "b", "c"])).toBe("a,b,c");
    expect(csvLine([])).toBe("");
  });

  test("has nothing where there is no value", () => {
    expect(csvLine([undefined, null, ""])).toBe(",,");
  });

  test.each([
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    ["two\r\nlines", '"two\r\nlines"'],
    ["plain text; with; semicolons", "plain text; with; semicolons"],
    [" spaces ", " spaces "],
    ["Grüße 🎉", "Grüße 🎉"],
  ])("quotes %j where it has to", (text, cell) => {
    expect(csvLine([text])).toBe(cell);
  });

  test.each([
    ["=1+1", "'=1+1"],
    ["+49 30 1234", "'+49 30 1234"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\tx", "'\tx"],
    ["\rx", `"'\rx"`],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ["＝1+1", "'＝1+1"],
  ])("prefixes %j, which a spreadsheet would run", (text, cell) => {
    expect(csvLine([text])).toBe(cell);
  });

  test("leaves alone what no spreadsheet runs", () => {
    expect(csvLine(["a=b", "1-1", "me@example.com", "'quoted"])).toBe("a=b,1-1,me@example.com,'quoted");
  });

  test("has other values as JSON, numbers as numbers", () => {
    expect(csvLine([-1.5, 0, true, false])).toBe("-1.5,0,true,false");
    expect(csvLine([["=1", "b"]])).toBe('"[""=1"",""b""]"');
    expect(csvLine([{ a: null }])).toBe('"{""a"":null}"');
  });
});
