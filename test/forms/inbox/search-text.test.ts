import { describe, expect, test } from "bun:test";
import { SEARCH_LIMITS } from "../../../src/forms/limits.ts";
import { createTurns } from "../../../src/base/event-loop.ts";
import { containsPhrases, phrasesIn, searchTerms, termsOf } from "../../../src/forms/inbox/search-text.ts";

const finds = (query: string, data: Record<string, unknown>, ...files: string[]) =>
  containsPhrases(data, files, phrasesIn(query), createTurns());

function termsOfAll(data: Record<string, unknown>): string[] {
  const steps = searchTerms(data, []);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe("a search", () => {
  test.each<[query: string, data: Record<string, unknown>, isFound: boolean]>([
    ["ann", { name: "ANN" }, true],
    ["an", { name: "Ann" }, true],
    ["an smith", { name: "Ann Smith" }, false],
    ["smith ann", { a: "Ann", b: "Smith" }, true],
    ["nn", { name: "Ann" }, false],
    ["name", { name: "Ann" }, false],
    ["42", { n: 42 }, true],
    ["1.5", { n: [{ deep: 1.5 }] }, true],
    ["muller", { name: "Müller" }, true],
    ["MÜLLER", { name: "muller" }, true],
    ["strasse", { a: "Straße" }, true],
    ["ann@example.com", { email: "ann@example.com" }, true],
    ["ann@exam", { email: "ann@example.com" }, true],
    ["ann@example.com", { email: "com example ann" }, false],
    ["ann@example", { a: "ann", b: "example" }, false],
    ["京都", { a: "東京都庁" }, true],
    ["都京", { a: "東京都庁" }, false],
    ["한국", { a: "대한민국 한국어" }, true],
    ["カメラ", { a: "新しいｶﾒﾗです" }, true],
    ["हिन्दी", { a: "हिन्दी में" }, true],
    ["हिन्दी", { a: "हिन्दू" }, false],
    ['"ann"* OR -x', { a: "or", b: "x", c: "ann" }, true],
    ["NEAR(ann bob)", { a: "ann bob" }, false],
    ["true", { a: true, b: null }, false],
  ])("for %s in %j", async (query, data, isFound) => {
    expect(await finds(query, data)).toBe(isFound);
    // The index may find too much, never too little.
    const { terms, prefix } = termsOf(phrasesIn(query));
    const indexed = termsOfAll(data);
    const isCandidate =
      terms.every((term) => indexed.includes(term)) &&
      (prefix === null || indexed.some((term) => term.startsWith(prefix)));
    if (isFound) expect(isCandidate).toBe(true);
  });

  test("finds file names", async () => {
    expect(await finds("invoice pdf", {}, "Invoice-2027.pdf")).toBe(true);
  });

  test("has no phrase without a letter or digit", () => {
    for (const query of ["", " ", '"', "*", "- -", "\0", "🎉"]) expect(phrasesIn(query)).toEqual([]);
    expect(phrasesIn("a\0b")).toEqual(["a b"]);
  });
});

test("terms are different words, long ones cut, up to a limit", () => {
  expect(termsOfAll({ a: "b a b", c: "a" })).toEqual(["b", "a"]);
  const long = "𝒳".repeat(10) + "x".repeat(100);
  expect(termsOfAll({ long })).toEqual(["x".repeat(40)]);
  expect(termsOf(phrasesIn(`${long} y`)).terms).toEqual(["x".repeat(40)]);
  const many = Array.from({ length: SEARCH_LIMITS.words + 1 }, (_, index) => `w${index}`);
  expect(termsOfAll({ many })).toHaveLength(SEARCH_LIMITS.words);
});
