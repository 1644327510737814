import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { parseHeader } from "../../src/http/headers.ts";

/** The value and the parameters as pairs, in order. */
function parsed(header: string) {
  const { value, parameters } = parseHeader(header);
  return { value, parameters: [...parameters] };
}

describe("a header", () => {
  test("without parameters is its value, trimmed and in lower case", () => {
    expect(parsed("  Application/JSON \t")).toEqual({ value: "application/json", parameters: [] });
    expect(parsed("")).toEqual({ value: "", parameters: [] });
  });

  test("has parameters whose names are trimmed and in lower case, and whose values stay as they are", () => {
    expect(parsed('Form-Data;NAME = "A B" ; FileName=C.TXT ')).toEqual({
      value: "form-data",
      parameters: [
        ["name", "A B"],
        ["filename", "C.TXT"],
      ],
    });
  });

  test("of which a parameter repeats has the first", () => {
    expect(parsed('a; x="1"; x=2; X="3"').parameters).toEqual([["x", "1"]]);
  });

  test.each([
    ["a;", []],
    ["a; ;;", []],
    ["a; b", []],
    ["a; b=", [["b", ""]]],
    ['a; b=""', [["b", ""]]],
    [
      'a; b="" ; c=d',
      [
        ["b", ""],
        ["c", "d"],
      ],
    ],
    ["; b=c", [["b", "c"]]],
  ])("that is cut short or loose is read as far as it goes: %s", (header, parameters) => {
    expect(parsed(header).parameters).toEqual(parameters as [string, string][]);
  });
});

describe("a quoted string", () => {
  test.each([
    ["holds semicolons and equals signs", String.raw`a; name="x; y=z"; b=c`, "x; y=z"],
    ["keeps the white space in it", String.raw`a; name="  x  "`, "  x  "],
    ["has a quote after a backslash", String.raw`a; name="say \"hi\".txt"; b=c`, 'say "hi".txt'],
    ["has two backslashes as they are", String.raw`a; name="a\\b"; b=c`, String.raw`a\\b`],
    ["has a share of Windows as it is", String.raw`a; name="\\server\x.txt"`, String.raw`\\server\x.txt`],
    ["may end with two backslashes", String.raw`a; name="a\\"; b=c`, String.raw`a\\`],
    [
      "keeps a backslash before anything else",
      String.raw`a; name="C:\temp\new.txt"`,
      String.raw`C:\temp\new.txt`,
    ],
    ["may end with a backslash, as browsers send it", String.raw`a; name="folder\"`, "folder\\"],
    ["that never closes goes on to the end", String.raw`a; name="x; b=c`, "x; b=c"],
    ["that never closes may end with a backslash", 'a; name="x\\', "x\\"],
    ["is any Unicode text", 'a; name="é 漢字 🎉"; b=c', "é 漢字 🎉"],
  ])("%s", (_, header, name) => {
    expect(parseHeader(header).parameters.get("name")).toBe(name);
  });

  test("is followed by further parameters, whatever stands between", () => {
    expect(parsed('a; name="x"junk; b=c').parameters).toEqual([
      ["name", "x"],
      ["b", "c"],
    ]);
  });

  test("of any text, with its quotes escaped, is that text", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, text, (name, fileName) => {
        const quote = (value: string) => `"${value.replaceAll('"', String.raw`\"`)}"`;
        expect(parsed(`form-data; name=${quote(name)}; filename=${quote(fileName)}`)).toEqual({
          value: "form-data",
          parameters: [
            ["name", name],
            ["filename", fileName],
          ],
        });
      }),
    );
  });

  test("of a hundred thousand backslashes and quotes is read like a short one", () => {
    const escapes = String.raw`\\\"`.repeat(100_000);
    expect(parsed(`a; name="${escapes}"; b=c`).parameters).toEqual([
      ["name", String.raw`\\"`.repeat(100_000)],
      ["b", "c"],
    ]);
    expect(parseHeader(`a; name="${"\\".repeat(100_001)}`).parameters.get("name")).toBe("\\".repeat(100_001));
  });
});

test("any text at all is read without an error", () => {
  const pieces = fc.constantFrom('"', "\\", ";", "=", " ", "\t", "name", "x");
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(pieces).map((all) => all.join("")),
      ),
      (text) => {
        const { value, parameters } = parseHeader(text);
        expect(text.toLowerCase()).toContain(value);
        for (const name of parameters.keys()) expect(text.toLowerCase()).toContain(name);
      },
    ),
  );
});
