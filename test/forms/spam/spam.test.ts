import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { MAX_SPAM_PATTERN } from "../../../src/forms/limits.ts";
import {
  type SpamRules,
  compileSpamRules,
  isEmailPattern,
  isSpamWord,
} from "../../../src/forms/spam/spam.ts";

const NONE: SpamRules = { spamWords: [], spamEmails: [], spamLinks: null, spamDisposable: false };
const NO_CONTROL = new Map<string, unknown[]>();

/** The reason that rules find in values. */
async function reasonOf(rules: Partial<SpamRules>, ...values: unknown[]): Promise<string | null> {
  const find = await compileSpamRules({ ...NONE, ...rules });
  return find(Object.fromEntries(values.map((value, index) => [`field${index}`, value])), NO_CONTROL);
}

const holds = async (word: string, ...values: unknown[]) =>
  (await reasonOf({ spamWords: [word] }, ...values)) === `word:${word}`;

describe("a spam word", () => {
  test.each([
    ["cialis", "buy cialis now"],
    ["cialis", "cialis"],
    ["cialis", "Cialis!"],
    ["cialis", "(cialis)"],
    ["cialis", "www.cialis.example"],
    ["cialis", "x_cialis_x"],
    ["cialis", "cialis-online"],
    ["viagra", "VIÁGRA"],
    ["VIÁGRA", "viagra"],
    ["viagra", "vi\u0301agra"],
    ["viagra", "ｖｉａｇｒａ"],
    ["viagra", "𝐯𝐢𝐚𝐠𝐫𝐚"],
    ["viagra", "vi\u200bag\u00adra"],
    ["viagra", "Viagra™ for you"],
    ["strasse", "Straße"],
    ["STRASSE", "straße"],
    ["istanbul", "İSTANBUL"],
    ["καζίνο", "ΚΑΖΙΝΟ"],
    ["λόγος", "ΛΌΓΟΣ"],
    ["viagra", `vi${"\u0301".repeat(100)}agra`],
    ["казино", "КАЗИНО онлайн"],
    ["كازينو", "كَازِينو"],
    ["buy now", "please buy  now!"],
    ["buy now", "buy\r\n\tnow"],
    ["buy   now", "buy now"],
    ["buy now", "buy buy now"],
    ["$$$", "earn $$$$$ today"],
    ["100%", "100% free"],
    ["c++", "learn C++ today"],
    ["#1", "we are #1."],
    ["🤑", "get rich 🤑🤑"],
    ["赌场", "在线赌场游戏"],
    ["カジノ", "オンラインカジノへ"],
    ["カジノ", "ｵﾝﾗｲﾝｶｼﾞﾉへ"],
    ["카지노", "온라인카지노를"],
    ["คาสิโน", "เล่นคาสิโนออนไลน์"],
    ["bitcoin赌", "买bitcoin赌吧"],
    ["जुआ", "ऑनलाइन जुआ खेलें"],
  ])("%j is found in %j", async (word, text) => {
    expect(await holds(word, text)).toBe(true);
  });

  test.each([
    ["cialis", "a specialist"],
    ["cialis", "cialis1"],
    ["cialis", "cialist"],
    ["casino", "casinò1"],
    ["ham", "Müncham"],
    ["buy now", "buynow"],
    ["buy now", "buy-now"],
    ["buy now", "buy now2"],
    ["a.c", "abc"],
    ["a|b", "a"],
    ["[a]", "a"],
    ["c++", "c+"],
    ["x?", "x"],
    ["bitcoin赌", "mybitcoin赌"],
    ["が", "か"],
    ["हिन्दी", "हिन्द"],
    ["कल", "काल"],
  ])("%j is not found in %j", async (word, text) => {
    expect(await holds(word, text)).toBe(false);
  });

  test("with a star stands for any characters of one word, or none", async () => {
    const cases: [string, string, boolean][] = [
      ["crypto*", "Cryptocurrency", true],
      ["crypto*", "crypto", true],
      ["crypto*", "my crypto.", true],
      ["crypto*", "mycrypto", false],
      ["*coin", "bitcoin", true],
      ["*coin", "coin", true],
      ["*coin", "coins", false],
      ["*pill*", "megapills", true],
      ["v*gra", "viiiagra", true],
      ["v*gra", "vgra", true],
      ["v*gra", "v gra", false],
      ["v*gra", "vagrant", false],
      ["v*gra*", "vagrant", true],
      ["*a*b", "xaxaxb", true],
      ["*a*b", "xaxaxbc", false],
      ["*a*b", "xaxaxbc a b ab", true],
      ["buy *coin now", "buy dogecoin now", true],
      ["buy *coin now", "buy the coin now", false],
      ["buy * now", "buy it now", true],
      ["buy * now", "buy it right now", false],
      ["free*!!!", "freebies!!!", true],
      ["赌*", "在线赌场", true],
      ["**", "anything", false],
    ];
    for (const [word, text, isFound] of cases) {
      expect([word, text, await holds(word, text)]).toEqual([word, text, isFound]);
    }
  });

  test("is searched in every value at any depth, and not in names or across values", async () => {
    expect(await holds("casino", { a: [{ b: ["fine", { c: "Casino" }] }] })).toBe(true);
    expect(await holds("42", { a: [42] })).toBe(true);
    expect(await holds("casino", { casino: "fine" })).toBe(false);
    expect(await holds("buy now", "buy", "now")).toBe(false);
    expect(await holds("null", null, [null])).toBe(false);
  });

  test("is named as it is configured, the first of the list first", async () => {
    const spamWords = ["Lottery", "CRYPTO*", "lottery"];
    expect(await reasonOf({ spamWords }, "cryptos", "lottery")).toBe("word:Lottery");
    expect(await reasonOf({ spamWords }, "cryptos")).toBe("word:CRYPTO*");
    expect(await reasonOf({ spamWords }, "fine")).toBeNull();
  });

  test("is found like by a regular expression, among many", async () => {
    const letter = fc.constantFrom("a", "b", "A", " ", "-", "é");
    const text = fc.string({ unit: letter, maxLength: 12 });
    const word = fc.string({ unit: fc.oneof(letter, fc.constant("*")), minLength: 1, maxLength: 5 });
    const fold = (text: string) => text.toLowerCase().replaceAll("é", "e").replaceAll(/\s+/g, " ");
    const isFound = (word: string, text: string) => {
      const source = fold(word).replaceAll("-", "\\-").replaceAll(/\*+/g, "[a-z]*");
      const start = /^[*a-z]/.test(fold(word)) ? "(?<![a-z])" : "";
      const end = /[*a-z]$/.test(fold(word)) ? "(?![a-z])" : "";
      return new RegExp(start + source + end).test(fold(text));
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1, maxLength: 8 }),
        fc.array(text, { maxLength: 3 }),
        async (words, texts) => {
          const spamWords = words.filter(isSpamWord);
          const expected = spamWords.find((word) => texts.some((text) => isFound(word, text)));
          expect(await reasonOf({ spamWords }, ...texts)).toBe(
            expected === undefined ? null : `word:${expected}`,
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("is searched in a megabyte of hostile text", async () => {
    const patterns = ["*a*a*a*a*b", "a*a*a*b", "a a a a a b", "*b", `${"哈".repeat(98)}b`];
    const texts = [
      "a".repeat(2 ** 20),
      "a ".repeat(2 ** 19),
      " \t".repeat(2 ** 19),
      "哈".repeat(350_000),
      // Marks that have to be sorted, of which one character may have any number.
      `a${"\u0301\u0327".repeat(250_000)}`,
      `a${"\uff9e\u0301\u0327".repeat(150_000)}`,
      `a${"\u0f74\u0f72\u0f71".repeat(110_000)}`,
    ];
    for (const text of texts) expect(await reasonOf({ spamWords: patterns }, text)).toBeNull();
    expect(await reasonOf({ spamWords: patterns }, `${texts[0]}b`)).toBe(`word:${patterns[0]}`);
  });

  test("has 1 to 100 characters on one line, one of them neither a star nor a space", () => {
    for (const word of ["x", "buy now", "crypto*", "$$$", "赌", "🤑", "x".repeat(MAX_SPAM_PATTERN)]) {
      expect([word, isSpamWord(word)]).toEqual([word, true]);
    }
    const others = [
      "",
      " ",
      "*",
      "* *",
      "a\nb",
      "a\u0000",
      "\u200b",
      "\u0301",
      "\ud800",
      "x".repeat(MAX_SPAM_PATTERN + 1),
    ];
    for (const word of others) expect([word, isSpamWord(word)]).toEqual([word, false]);
  });
});

describe("a spam address", () => {
  const isFound = async (pattern: string, ...values: unknown[]) =>
    (await reasonOf({ spamEmails: [pattern] }, ...values)) === "email";

  test("matches as a whole, whatever its case", async () => {
    const cases: [string, string, boolean][] = [
      ["*@spam.example", "Bob@SPAM.example", true],
      ["*@SPAM.example", "bob@spam.example", true],
      ["*@spam.example", "bob@sub.spam.example", false],
      ["*@*.spam.example", "bob@sub.spam.example", true],
      ["*@spam.example", "bob@spam.example.com", false],
      ["*.ru", "bob@mail.ru", true],
      ["*.ru", "bob@mail.run", false],
      ["bob@x.example", " bob@x.example\n", true],
      ["bob@x.example", "bob@x.example.", true],
      ["bob@x.example", "notbob@x.example", false],
      ["bob*@*", "bobby@x.example", true],
      ["b.b@x.example", "bob@x.example", false],
      ["*@bücher.example", "a@BÜCHER.example", true],
      ["a@xn--bcher-kva.example", "a@BÜCHER.example", true],
      ["*@bücher.example", "a@xn--bcher-kva.example", true],
      ["*@xn--bcher-kva.example", "jörg@Bücher.example", true],
      ["*@a*b*c.example", "x@a1b1b2c.example", true],
    ];
    for (const [pattern, text, expected] of cases) {
      expect([pattern, text, await isFound(pattern, text)]).toEqual([pattern, text, expected]);
    }
  });

  test("is any text that is one address, in any field at any depth", async () => {
    expect(await isFound("*@spam.example", "Bob", { contact: [{ address: "bob@spam.example" }] })).toBe(true);
    const others = [
      "write to bob@spam.example",
      "bob@spam.example, ada@spam.example",
      "a@b@spam.example",
      "@spam.example",
      "spam.example",
      "<bob@spam.example>",
      `${"x".repeat(320)}@spam.example`,
      `bob@spam.example${" ".repeat(1000)}x`,
    ];
    for (const text of others) expect([text, await isFound("*@spam.example", text)]).toEqual([text, false]);
    expect(await isFound("*@spam.example", { "bob@spam.example": "x" })).toBe(false);
  });

  test("is configured with a star beside other characters, or as an address", () => {
    for (const pattern of ["*@spam.example", "*.ru", "bob@x.example", "*bob*", "a*@*.b"]) {
      expect([pattern, isEmailPattern(pattern)]).toEqual([pattern, true]);
    }
    const others = [
      "",
      "*",
      "*@*",
      "*.*",
      "spam.example",
      "@spam.example",
      "bob@",
      "a@b@c",
      "a b@c.example",
      "*@x\n",
    ];
    for (const pattern of [...others, `*@${"x".repeat(MAX_SPAM_PATTERN)}`]) {
      expect([pattern, isEmailPattern(pattern)]).toEqual([pattern, false]);
    }
  });
});

describe("links", () => {
  test("are counted in all values together, http and https in any case", async () => {
    const values = [
      "http://a.example HTTPS://b.example",
      { c: ["see(hTTp://c.example)"] },
      "://",
      "http:/x",
      "ftp://d",
    ];
    expect(await reasonOf({ spamLinks: 3 }, ...values)).toBeNull();
    expect(await reasonOf({ spamLinks: 2 }, ...values)).toBe("links");
  });

  test("may be none at all", async () => {
    expect(await reasonOf({ spamLinks: 0 }, "https://a.example")).toBe("links");
    expect(await reasonOf({ spamLinks: 0 }, "a.example")).toBeNull();
    expect(await reasonOf({ spamLinks: 0 }, { "https://a.example": 1 })).toBeNull();
  });
});

describe("an address at a disposable mail service", () => {
  test.each(["a@mailinator.com", "A@MAILINATOR.COM", "a@inbox.mailinator.com", "a@mailinator.com."])(
    "is found: %s",
    async (address) => {
      expect(await reasonOf({ spamDisposable: true }, { contact: [address] })).toBe("disposable");
    },
  );

  test.each([
    "a@gmail.com",
    "a@zz-mailinator.com",
    "a@mailinator.com.example",
    "a@com",
    "mail to a@mailinator.com",
  ])("is not: %s", async (text) => {
    expect(await reasonOf({ spamDisposable: true }, text)).toBeNull();
  });
});

test("the reason is the first of honeypot, address, word, links and disposable", async () => {
  const rules: SpamRules = {
    spamWords: ["casino"],
    spamEmails: ["bob@*"],
    spamLinks: 0,
    spamDisposable: true,
  };
  const find = await compileSpamRules(rules);
  const data: Record<string, string> = {
    email: "bob@mailinator.com",
    text: "casino https://x.example",
  };
  expect(await find(data, new Map([["_gotcha", ["x"]]]))).toBe("honeypot");
  expect(
    await find(
      data,
      new Map([
        ["_gotcha", [""]],
        ["altcha", ["x"]],
      ]),
    ),
  ).toBe("email");
  data["email"] = "ada@mailinator.com";
  expect(await find(data, NO_CONTROL)).toBe("word:casino");
  data["text"] = "https://x.example";
  expect(await find(data, NO_CONTROL)).toBe("links");
  data["text"] = "fine";
  expect(await find(data, NO_CONTROL)).toBe("disposable");
  data["email"] = "ada@x.example";
  expect(await find(data, NO_CONTROL)).toBeNull();
});

test("rules that are off find only a filled honeypot", async () => {
  const find = await compileSpamRules(NONE);
  expect(await find({ a: "casino https://x.example a@mailinator.com" }, NO_CONTROL)).toBeNull();
  expect(await find({ a: "x" }, new Map([["botcheck", [true]]]))).toBe("honeypot");
});
