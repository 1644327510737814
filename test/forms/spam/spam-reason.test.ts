import { expect, test } from "bun:test";
import { explainSpam, spamInBrief } from "../../../src/forms/spam/spam-reason.ts";

test.each([
  ["win money", '"win money"'],
  ["from:spam.example", "an address at spam.example"],
  ["from:ann0@", "an address that begins with ann0@"],
  ["link:spam.example", "a link to spam.example"],
  ["links:2", "how many links it has"],
  ["length:message:9", "how long message is"],
  ["capitals:subject", "capitals in subject"],
  ["exclamation:subject", "exclamation marks in subject"],
  ["script:Cyrillic", "Cyrillic letters"],
  ["markup:html", "HTML"],
  ["markup:bbcode", "BBCode"],
  ["long:7", "a long word"],
])("The feature %s of what was learned is explained in words", (feature, words) => {
  expect(explainSpam(`learn:casino, ${feature}`)).toBe(
    `it is like what was marked as spam: "casino", ${words}`,
  );
});

test.each([
  ["learn:casino, win money", "learned"],
  ["check:sells watches", "external checks"],
  ["word:casino", "word:casino"],
  ["manual", "manual"],
])("A list has the reason %s as %s", (reason, brief) => {
  expect(spamInBrief(reason)).toBe(brief);
});
