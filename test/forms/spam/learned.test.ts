import { describe, expect, test } from "bun:test";
import { LEARNING } from "../../../src/forms/limits.ts";
import { addCount, countOf, createCounts } from "../../../src/forms/spam/counts.ts";
import { featureTexts, featuresOf } from "../../../src/forms/spam/features.ts";
import { decides, emptyLearned, judge, learn, weigh } from "../../../src/forms/spam/learned.ts";

const SALT = "salt";

/** The features of a submission, as text. */
const textsOf = (data: object) => featureTexts(data, SALT, [...featuresOf(data, SALT)]);

describe("features of a submission", () => {
  test("are its words and pairs of them, without case, accents and quotes, and numbers by their digits", () => {
    const texts = textsOf({ message: "Win 'BIG' now: $1,000! Príze-money. It is" });
    for (const word of ["win", "big", "win big", "now", "$1", "000", "prize-money", "it", "it is"])
      expect(texts).toContain(word);
    expect(texts).not.toContain("prize-money it");
    const [one, other] = ["call 08001234567", "call 08007654321"].map((m) => [...featuresOf({ m }, SALT)]);
    expect(one).toEqual(other);
  });

  test("are the parts of its addresses and the hosts of its links", () => {
    const texts = textsOf({
      email: "Ann12@mail.shop.example",
      message: "see https://a.b.evil.example/x?y and www.other.example",
    });
    for (const part of ["from:ann0@", "from:mail.shop.example", "from:shop.example", "from:example"])
      expect(texts).toContain(part);
    for (const part of ["link:a.b.evil.example", "link:evil.example", "link:other.example", "links:2"])
      expect(texts).toContain(part);
    expect(texts).not.toContain("https");
  });

  test("are its scripts and what its fields look like, at any depth", () => {
    const texts = textsOf({
      a: { subject: ["ПРИВЕТ МИР ВСЕМ!!"] },
      n: 7,
      empty: "",
      nothing: null,
      yes: true,
    });
    for (const part of [
      "script:Cyrillic",
      "capitals:subject",
      "exclamation:subject",
      "length:subject:5",
      "привет мир",
    ])
      expect(texts).toContain(part);
    expect(textsOf({ message: "<a href='x'>y</a> [/url]" })).toEqual(
      expect.arrayContaining(["markup:html", "markup:bbcode"]),
    );
  });

  test("are pairs of characters in scripts without spaces", () => {
    const texts = textsOf({ message: "在线赌场" });
    for (const pair of ["在线", "线赌", "赌场", "script:Han"]) expect(texts).toContain(pair);
  });

  test("have nothing in common under two salts, and are none twice", () => {
    const data = { message: "to be or not to be or not to be" };
    const [one, other] = [featuresOf(data, "a"), featuresOf(data, "b")];
    expect(new Set([...one, ...other]).size).toBe(one.length + other.length);
    expect(one).not.toContain(0);
  });

  test("are the same whatever was read before", () => {
    const [short, long] = [{ message: "win mon" }, { message: "win money now, it is naïve, '' - '" }];
    const hashes = featuresOf(short, SALT);
    for (const between of [long, { message: "ﬃ".repeat(LEARNING.characters) }, {}]) {
      featuresOf(between, SALT);
      expect(featuresOf(short, SALT)).toEqual(hashes);
    }
    expect(textsOf(short)).toEqual(["length:message:3", "win", "mon", "win mon", "script:Latin"]);
  });

  test.each([
    ["words", "a b c d e f g ".repeat(40_000)],
    ["one word", "a".repeat(260_000)],
    ["marks", "\u0301\u0316".repeat(130_000)],
    ["links", "https://x.example/".repeat(14_000)],
    ["broken links", "https://".repeat(32_000)],
    ["at signs", "@".repeat(260_000)],
    ["dots", "www.".repeat(65_000)],
    ["characters of two units", "𐐀".repeat(130_000)],
    ["dashes", "-".repeat(260_000)],
  ])("of 256 KB of %s are found in a few milliseconds, and no more than there may be", (_, text) => {
    const before = process.cpuUsage();
    for (let count = 0; count < 10; count += 1)
      featuresOf({ [text.slice(0, 200)]: text, more: [text] }, SALT);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
    expect(featuresOf({ a: text }, SALT).length).toBeLessThanOrEqual(LEARNING.features);
  });

  test("are bounded in a submission of many different words", () => {
    const words = Array.from({ length: 2000 }, (_, index) =>
      index.toString(36).replaceAll(/\d/g, (digit) => "ghijklmnop"[Number(digit)]!),
    );
    expect(featuresOf({ words: words.join(" "), more: words }, SALT)).toHaveLength(LEARNING.features);
  });
});

const SPAM = ["cheap pills", "win money now", "casino bonus", "buy followers"];
const GOOD = ["my bicycle is broken", "when do you open", "please call me back", "thanks for the invoice"];

/** What a filter learns from that many of each kind. */
function learnedFrom(spam: number, good: number) {
  const learned = emptyLearned();
  const featuresFor = (texts: string[], index: number) =>
    featuresOf({ message: `${texts[index % texts.length]} ${texts[(index * 7 + 1) % texts.length]}` }, SALT);
  for (let index = 0; index < spam; index += 1) learn(learned, true, featuresFor(SPAM, index));
  for (let index = 0; index < good; index += 1) learn(learned, false, featuresFor(GOOD, index));
  return learned;
}

const judged = async (learned: ReturnType<typeof emptyLearned>, message: string) => {
  const data = { message };
  const found = judge(await weigh(learned), featuresOf(data, SALT));
  return found && featureTexts(data, SALT, found);
};

describe("a filter that has learned", () => {
  test("decides nothing below twenty of each kind", () => {
    const { least } = LEARNING;
    expect(decides({ spam: 500, good: least - 1 })).toBe(false);
    expect(decides({ spam: least - 1, good: 500 })).toBe(false);
    expect(decides({ spam: least, good: least })).toBe(true);
  });

  test("names the five words that decided, the strongest first", async () => {
    const words = await judged(
      learnedFrom(100, 100),
      "win money now, cheap pills, casino bonus, buy followers",
    );
    expect(words).toHaveLength(5);
    for (const word of words!) expect(SPAM.some((text) => text.includes(word))).toBe(true);
  });

  test("leaves alone what is good, what it does not know, and what has few words", async () => {
    const learned = learnedFrom(200, 200);
    for (const message of [
      "please call me back, my bicycle is broken",
      "completely different words here",
      "hello",
      "",
    ])
      expect(await judged(learned, message)).toBeNull();
    expect(judge(await weigh(learned), new Int32Array(0))).toBeNull();
  });

  test("is as careful with far more spam than good ones as with as few of each", async () => {
    const learned = learnedFrom(1000, 20);
    expect(await judged(learned, "please call me back to win")).toBeNull();
  });

  test("decides by the strongest of many features, wherever they are", async () => {
    const learned = emptyLearned();
    const hashesFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);
    const [strong, weak] = [hashesFrom(1, 80), hashesFrom(1000, 600)];
    for (let index = 0; index < 100; index += 1) {
      learn(learned, true, Int32Array.from([...strong, ...(index < 35 ? weak : [])]));
      learn(learned, false, Int32Array.from(index < 65 ? weak : []));
    }
    const weights = await weigh(learned);
    expect(judge(weights, Int32Array.from(weak))).toBeNull();
    expect(judge(weights, Int32Array.from([...weak, ...strong]))).toEqual(strong.slice(0, 5));
    expect(judge(weights, Int32Array.from([...weak, ...strong.slice(0, 4)]))).toBeNull();
  });

  test("keeps no more features than there may be, and goes on to count those it has", () => {
    const learned = emptyLearned();
    learn(
      learned,
      true,
      Int32Array.from({ length: LEARNING.model }, (_, index) => index + 1),
    );
    learn(learned, false, Int32Array.of(1, LEARNING.model + 1));
    expect(learned.counts.size).toBe(LEARNING.model);
    expect(countOf(learned.counts, 1)).toBe(0x10001);
    expect(countOf(learned.counts, LEARNING.model + 1)).toBe(0);
  });
});

test("counts are as those of a map, while they grow and where hashes share a place", () => {
  const [counts, map] = [createCounts(16), new Map<number, number>()];
  for (let index = 1; index < 5000; index += 1) {
    const hash = Math.imul(index % 700, 0x10000) | 0 || 16;
    map.set(hash, (map.get(hash) ?? 0) + index);
    expect(addCount(counts, hash, index)).toBe(map.get(hash)!);
  }
  expect(counts.size).toBe(map.size);
  for (const [hash, count] of map) expect(countOf(counts, hash)).toBe(count);
  expect(countOf(counts, 12_345)).toBe(0);
});
