import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { parseUpload } from "../../../src/flags/code/code-upload-text.ts";
import { CODE_LIMITS as LIMITS } from "../../../src/flags/limits.ts";
import { errorOf } from "../../support/refusals.ts";

const reference = { filePath: "src/a.ts", lineNumber: 1, lineContent: "a" };
const upload = (more: object = {}) => ({ branch: "main", projectName: "web", references: {}, ...more });
const parse = (text: string) => parseUpload(Buffer.from(text));
const refusal = (text: string) => errorOf(parse(text));

describe("the JSON of an upload", () => {
  test("is read as JSON.parse reads it, whatever stands in its texts", async () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
    const line = fc.oneof(text, fc.constantFrom('\\"}]', "{[", '\\\\"', "\u0000\n\t", "é".repeat(50)));
    const name = text.filter((each) => !/[\p{Cc}\p{Cs}]/u.test(each));
    const place = fc.record({ filePath: name, lineNumber: fc.integer({ min: 1 }), lineContent: line });
    const references = fc.dictionary(name, fc.array(place, { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(references, fc.jsonValue(), fc.nat(3), async (references, other, indent) => {
        const parsed = await parse(JSON.stringify({ other, ...upload({ references }) }, null, indent));
        const named = Object.entries(references).filter(([, list]) => list.length > 0);
        expect([...parsed.references]).toEqual(named);
      }),
    );
  });

  test("may have a byte order mark, keys such as __proto__, an address that is empty or null", async () => {
    const text = `\uFEFF{"branch":"main","projectName":"web","references":{"__proto__":[${JSON.stringify(reference)}]}`;
    for (const more of ["", ',"repositoryUrl":"","commit":""', ',"repositoryUrl":null,"commit":null'])
      expect(await parse(`${text}${more}}`)).toEqual({
        branch: "main",
        projectName: "web",
        repositoryUrl: null,
        commit: null,
        references: new Map([["__proto__", [reference]]]),
      });
  });

  test.each<[text: string]>([
    [""],
    ["{"],
    ["nonsense"],
    ['{"branch":"main" "projectName":"web","references":{}}'],
    ['{"branch":"main","projectName":"web","references":{"a":[{"filePath":"a"]}}'],
    ['{"branch":"main","projectName":"web","references":{"a":[{"filePath":"a"}'],
    ['{"branch":"main","projectName":"web","references":{"a":[{,}]}}'],
    ["]]]]]]{{{{{{"],
  ])("that is none is refused: %s", async (text) => {
    expect(await refusal(text)).toContain("invalid: the body is not valid JSON");
  });

  test("that is not UTF-8 or is nested too deeply is refused", async () => {
    expect(await errorOf(parseUpload(Uint8Array.of(0x22, 0xff, 0x22)))).toBe(
      "invalid: the body is not UTF-8",
    );
    expect(await refusal("[".repeat(1_000_000))).toContain("more than 200 levels");
    expect(await refusal(`{"a":{"b":[${'{"c":'.repeat(300)}1`)).toContain("more than 200 levels");
  });

  const cases: [field: string, body: unknown][] = [
    ["the body", []],
    ["the body", null],
    ["branch", upload({ branch: undefined })],
    ["branch", upload({ branch: "" })],
    ["branch", upload({ branch: 5 })],
    ["branch", upload({ branch: "a\nb" })],
    ["branch", upload({ branch: "x".repeat(LIMITS.branch + 1) })],
    ["projectName", upload({ projectName: ["web"] })],
    ["projectName", upload({ projectName: "x".repeat(LIMITS.projectName + 1) })],
    ["repositoryUrl", upload({ repositoryUrl: "javascript:alert(1)" })],
    ["repositoryUrl", upload({ repositoryUrl: "https://ann:secret@example.com/a/b" })],
    ["repositoryUrl", upload({ repositoryUrl: "https://example.com/a b" })],
    ["repositoryUrl", upload({ repositoryUrl: `https://example.com/${"x".repeat(LIMITS.repositoryUrl)}` })],
    ["repositoryUrl", upload({ repositoryUrl: 1 })],
    ["references", upload({ references: undefined })],
    ["references", upload({ references: [[reference]] })],
    ["references", upload({ references: { "": [] } })],
    ["references", upload({ references: { "a\u0007": [] } })],
    ["references", upload({ references: { ["x".repeat(LIMITS.slug + 1)]: [] } })],
    ["references.a", upload({ references: { a: reference } })],
    ["references.a", upload({ references: { a: 0 } })],
    ["references.a.0", upload({ references: { a: [0] } })],
    ["references.a.0", upload({ references: { a: [[0]] } })],
    ["references.a.1", upload({ references: { a: [reference, null] } })],
    ["references.a.0.filePath", upload({ references: { a: [{ ...reference, filePath: "" }] } })],
    ["references.a.0.filePath", upload({ references: { a: [{ ...reference, filePath: {} }] } })],
    [
      "references.a.0.filePath",
      upload({ references: { a: [{ ...reference, filePath: "x".repeat(LIMITS.filePath + 1) }] } }),
    ],
    ...[0, -1, 1.5, 1e300, "1", null].map((lineNumber): [string, unknown] => [
      "references.a.0.lineNumber",
      upload({ references: { a: [{ ...reference, lineNumber }] } }),
    ]),
    ["references.a.0.lineContent", upload({ references: { a: [{ ...reference, lineContent: 1 }] } })],
    // Four thousand characters that are more than 4 KB.
    [
      "references.a.0.lineContent",
      upload({ references: { a: [{ ...reference, lineContent: "€".repeat(4000) }] } }),
    ],
  ];
  test.each(cases)("with a wrong %s is refused, and names it", async (field, body) => {
    expect(await refusal(JSON.stringify(body))).toMatch(
      new RegExp(`^invalid: ${field.replaceAll(".", "\\.")} (has to be|is not)`),
    );
  });

  test("may have names, paths and lines of exactly the limits", async () => {
    const whole = {
      filePath: "x".repeat(LIMITS.filePath),
      lineNumber: Number.MAX_SAFE_INTEGER,
      lineContent: "x".repeat(LIMITS.lineContent),
    };
    const slug = "x".repeat(LIMITS.slug);
    const body = upload({
      branch: "x".repeat(LIMITS.branch),
      projectName: "x".repeat(LIMITS.projectName),
      references: { [slug]: [whole] },
    });
    expect((await parse(JSON.stringify(body))).references).toEqual(new Map([[slug, [whole]]]));
  });

  test("may have 20,000 references, and not one more", async () => {
    const many = (count: number) =>
      JSON.stringify(upload({ references: { a: Array.from({ length: count }, () => reference) } }));
    expect((await parse(many(LIMITS.references))).references.get("a")).toHaveLength(20_000);
    expect(await refusal(many(LIMITS.references + 1))).toBe(
      "too_large: an upload has at most 20,000 references",
    );
  });

  test.each([
    ["lists", `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":[]`).join(",")}}`],
    ["numbers", `{"a":[${"1,".repeat(100_000)}1]}`],
  ])("may not name more, in %s that hold no reference", async (_, references) => {
    const body = `{"branch":"main","projectName":"web","references":${references}}`;
    expect(await refusal(body)).toBe("too_large: an upload has at most 20,000 references");
  });
});
