import { expect, test } from "bun:test";
import { revisionIn } from "../../cli/session/client.ts";

test.each<[tag: string | undefined, revision: number]>([
  ["12", 12],
  [undefined, Number.NaN],
  ["a1".repeat(32), Number.NaN],
  ["1".repeat(64), Number.NaN],
  [`${"1".repeat(31)}e${"1".repeat(32)}`, Number.NaN],
])("the tag %p names the revision %p: a fingerprint of digits is none", (tag, revision) => {
  expect(revisionIn(tag)).toEqual(revision);
});
