import { describe, expect, test } from "bun:test";
import { checkUnicode, compileSchema, validate } from "../../../src/forms/validation/validation.ts";

/** Whether a text has a format, as JSON and as a page sends it. */
async function verdicts(format: string, text: string): Promise<[json: boolean, page: boolean]> {
  const validation = await compileSchema({ properties: { a: { format } } });
  const has = (source: "json" | "text") => validate(validation, { a: text }, source).length === 0;
  return [has("json"), has("text")];
}

const BOTH: [boolean, boolean] = [true, true];
const PAGE: [boolean, boolean] = [false, true];
const NONE: [boolean, boolean] = [false, false];

describe("an address", () => {
  test.each<[format: string, text: string, verdicts: [boolean, boolean]]>([
    ["email", "ann@example.com", BOTH],
    ["email", " ann@example.com\r\n", BOTH],
    ["email", '"a b"@example.com', BOTH],
    ["email", "a..b@docomo.example", PAGE],
    ["email", ".a.@docomo.example", PAGE],
    ["email", "ann@bücher.example", PAGE],
    ["email", "ann@xn--bcher-kva.example", BOTH],
    ["email", "zoë@example.com", NONE],
    ["email", "ann@bücher.example/x", NONE],
    ["email", "ann@bü@cher.example", NONE],
    ["email", "ann@-x.example", NONE],
    ["email", "a b@example.com", NONE],
    ["email", "ann @example.com", NONE],
    ["email", `ann@${"ü".repeat(400)}.example`, NONE],
    ["uri", "https://example.com/a?b#c", BOTH],
    ["uri", "\thttps://example.com/ ", BOTH],
    ["uri", "mailto:ann@example.com", BOTH],
    ["uri", "https://example.com:8443/", BOTH],
    ["uri", "https://example.com:port/", NONE],
    ["uri", "https://example.com:99999/", NONE],
    ["uri", "https://example.com/größe", PAGE],
    ["uri", "https://bücher.example/日本?x=ü#é", PAGE],
    ["uri", "https://example.com/a b|c", PAGE],
    ["uri", "https://example.com/\u0007", NONE],
    ["uri", "example.com", NONE],
    ["uri", "/a", NONE],
    ["uri", "http://a b", NONE],
    ["url", "https://example.com/größe", BOTH],
    ["url", " https://example.com ", BOTH],
    ["url", "https://example.com/a b", PAGE],
    ["url", "https://example.com:port/", NONE],
    ["url", "javascript:alert(1)", NONE],
  ])("%s %j", async (format, text, expected) => {
    expect(await verdicts(format, text)).toEqual(expected);
  });

  test("has a host that is short, whose marks would take time in the square of their number", async () => {
    const marks = "\u0301\u0316".repeat(200);
    for (const start of ["https://a", "https:a", "https:\\\\a", "ftp://u:p@a", "HTTP:///a"])
      for (const format of ["uri", "url"])
        expect(await verdicts(format, `${start}${marks}.example/`)).toEqual(NONE);
    expect(await verdicts("uri", `urn:${"a".repeat(401)}`)).toEqual(BOTH);
    expect(await verdicts("uri", `https://example.com/${"a".repeat(4000)}`)).toEqual(BOTH);
  });

  test("of any length is checked in linear time", async () => {
    for (const text of ["a@", " ", "https://", "ü", ".", "a@a.", "https://a/%"])
      for (const format of ["email", "uri", "url"])
        expect(await verdicts(format, text.repeat(100_000))).toEqual(NONE);
  });
});

test("a schema with text that is not valid Unicode is refused, wherever it is", () => {
  for (const schema of [
    { description: "\ud800" },
    { properties: { a: { title: "x\udfff" } } },
    { properties: { a: { enum: ["a", "\ud800b"] } } },
  ]) {
    expect(() => checkUnicode(schema)).toThrow("not valid Unicode");
  }
  checkUnicode({ title: "😀", properties: { a: { enum: [1, null, true, "\\ud800"] } } });
});
