import { expect, test } from "bun:test";
import { foldText } from "../../src/forms/words.ts";
import { COMBINING_MARKS, INVISIBLE_CHARACTERS } from "../support/pages/hostile-marks.ts";

test("words that differ by case, accents, width or invisible characters fold alike", () => {
  for (const text of [
    "VIÁGRA",
    "vi\u0301agra",
    "ｖｉａｇｒａ",
    "vi\u200bag\u00adra",
    "ⓥiagra",
    "vi\u0301\u00ad\u0301agra",
  ])
    expect(foldText(text)).toBe("viagra");
  expect(foldText("가\u00ad나 が हिन्दी")).toBe("가나 が हिन्दी");
});

test("letters with strokes and ligatures fold to what people type without them", () => {
  for (const [text, folded] of [
    ["Łódź", "lodz"],
    ["Søren Ærø", "soren aero"],
    ["Đorđe", "dorde"],
    ["Ħal Ŧorne", "hal torne"],
    ["Þór Sigurðsson", "thor sigurdsson"],
    ["cœur", "coeur"],
  ] as const)
    expect([text, foldText(text), foldText(text.toUpperCase())]).toEqual([text, folded, folded]);
});

test("marks of every class between any invisible characters are folded in milliseconds, and to few of them", () => {
  expect(COMBINING_MARKS.length).toBeGreaterThan(50);
  expect(INVISIBLE_CHARACTERS.length).toBeGreaterThan(15);
  const slow: string[] = [];
  const fold = (unit: string) => {
    const text = `a${unit.repeat(Math.ceil(2 ** 18 / Buffer.byteLength(unit)))}`;
    const start = performance.now();
    const folded = foldText(text);
    // It took up to half a minute each.
    if (performance.now() - start > 1000 || folded.length > 100) slow.push(JSON.stringify(unit));
  };
  for (const mark of COMBINING_MARKS)
    for (const other of ["\u0301", "\u0316"]) fold(mark.repeat(9) + "\u00ad" + other.repeat(9) + "\u200b");
  for (const separator of INVISIBLE_CHARACTERS)
    fold(`\u3099${separator}\u0f71${separator}\u093c${separator}`);
  for (const joined of ["\u{16d67}", "\u{16d68}", "\u{1611e}", "\u{113c2}", "\uff9e\u200b"]) fold(joined);
  expect(slow).toEqual([]);
});
