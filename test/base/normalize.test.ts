import { expect, test } from "bun:test";
import { ATTACHED, normalize, withoutAccents } from "../../src/base/normalize.ts";

const FORMS = ["NFC", "NFKC", "NFKD"] as const;

test("a text of any language is normalized as `String.normalize` does it", () => {
  const texts = [
    "",
    "plain",
    "Müller",
    "Mu\u0308ller",
    "ﬁ ﬃ ㌀ ½",
    "ｶﾞ",
    "각",
    "हिन्दी",
    "Å".repeat(100),
    "a\ud800",
  ];
  for (const text of texts)
    for (const form of FORMS) expect(normalize(text, form)).toBe(text.normalize(form));
});

test("texts that are canonically equal have one form", () => {
  expect(normalize("q\u0307\u0323", "NFC")).toBe(normalize("q\u0323\u0307", "NFC"));
});

test("every character that can join what is before it counts as attached", () => {
  const attached = new RegExp(`^[${ATTACHED}]`, "u");
  const wrong: string[] = [];
  for (let code = 0x80; code <= 0x10ffff; code += 1) {
    if (code >= 0xac00 && code < 0xe000) continue;
    const character = String.fromCodePoint(code);
    const decomposed = character.normalize("NFD");
    if (decomposed === character) continue;
    const [first = "", ...others] = decomposed;
    const isComposed = character.normalize("NFC") === character;
    if (isComposed && others.some((other) => !attached.test(other))) wrong.push(character);
    if (attached.test(first) !== attached.test(character)) wrong.push(character);
  }
  expect(wrong).toEqual([]);
});

test("a quarter of a megabyte of marks is normalized in milliseconds", () => {
  for (const unit of [
    "\u0301",
    "\u0316\u0301",
    "\u{1611e}",
    "\u{113c2}",
    "\u{16d67}",
    "\u{16d68}",
    "\uff9e\u0316",
  ]) {
    const half = Math.ceil(2 ** 17 / Buffer.byteLength(unit));
    const text = `a${unit.repeat(half)}${"\u0316".repeat(2 ** 16)}`;
    for (const form of FORMS) {
      const start = performance.now();
      normalize(text, form);
      // It took seconds each, and some half a minute.
      expect([unit, form, performance.now() - start < 500]).toEqual([unit, form, true]);
    }
  }
});

test("a text without accents has the letters that a keyboard of ASCII has", () => {
  for (const [text, plain] of [
    ["Größe", "Grosse"],
    ["Łódź, Þórr, Ærø", "Lodz, Thorr, AEro"],
    ["cœur Đakovo ığdır", "coeur Dakovo igdir"],
    ["u\u0308 ﬁ", "u fi"],
    ["東京", "東京"],
  ] as const)
    expect(withoutAccents(text)).toBe(plain);
});
