import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { patternOf } from "../../src/evaluator/patterns.ts";

const atom = fc.constantFrom(
  ..."a b k é S _ - @ 😀 . ^ $ { } ]".split(" "),
  ...String.raw`\. \@ \- \_ \/ \\ \d \D \s \S \w \W \b \B \A \z \n \t \a \x41 \x{1F600} \101 \pL \p{Lu} \p{Greek} \Qa.b\E`.split(
    " ",
  ),
  ...String.raw`[a-z] [^a-z] [\s-] [^\s] [\S] [\d\-.] [.] [$^] []a] [^]a] [[:alpha:]] [[] [^\W_] [\]] [\\] [é-ü] a{2} a{,2}`.split(
    " ",
  ),
  "\n",
  "\r",
  "\u2028",
);
const part: fc.Arbitrary<string> = fc.letrec<{ part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 6, arbitrary: atom },
    { weight: 3, arbitrary: fc.tuple(tie("part"), tie("part")).map((each) => each.join("")) },
    { weight: 1, arbitrary: fc.tuple(tie("part"), tie("part")).map((each) => `(${each.join("|")})`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie("part"), fc.constantFrom("*", "+", "?", "*?", "{1,2}"))
        .map(([each, times]) => `(?:${each})${times}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom("(?i:", "(?s:", "(?m:", "(?P<n>", "(?<n>", "(?U:", "(?-i:"), tie("part"))
        .map(([open, each]) => `${open}${each})`),
    },
  ),
})).part;
const pattern = fc
  .tuple(fc.constantFrom("", "", "(?i)", "(?s)", "(?m)", "(?ims)", "(?U)"), part)
  .map((each) => each.join(""));

/** All but the Kelvin sign and the long s, which are letters of a word for the engine where case does not matter. */
const signs = fc.constantFrom(...Array.from("aAbkKsSéÉ1 _-@.]\\{α\n\r\u2028\u00a0\v😀"), "\ud83d");
const texts = fc.array(
  fc.array(signs, { maxLength: 8 }).map((each) => each.join("")),
  { minLength: 5, maxLength: 5 },
);

function read<T>(compile: () => T): T | undefined {
  try {
    return compile();
  } catch {
    return undefined;
  }
}

test("a pattern of RE2 matches the same as an expression of the engine, or is refused", () => {
  let matched = 0;
  fc.assert(
    fc.property(pattern, texts, (pattern, texts) => {
      const theirs = read(() => RE2JS.compile(pattern));
      const ours = read(() => patternOf(pattern));
      if (!theirs || !ours) return;
      matched += 1;
      for (const text of texts)
        expect([pattern, text, ours.occursIn(text)]).toEqual([pattern, text, theirs.test(text)]);
    }),
    { numRuns: 3000 },
  );
  expect(matched).toBeGreaterThan(1000);
});

test.each([
  ["(?i)@example\\.com$", "ann@Example.COM", "ann@example.com.evil"],
  ["^a+$", "aaa", "aaa\n"],
  ["(?P<name>x)", "x", "y"],
  ["\\Aon\\z", "on", "on "],
  ["a.c", "a\rc", "a\nc"],
  ["(?s)a.c", "a\nc", "ac"],
  ["(?m)^b$", "a\nb", "a\rb"],
  ["\\s", " ", "\u00a0"],
  ["[^\\s@]+@x\\-y", "a@x-y", "@x-y"],
])("%s matches %j and not %j", (pattern, yes, no) => {
  const { occursIn } = patternOf(pattern);
  expect([occursIn(yes), occursIn(no)]).toEqual([true, false]);
});
