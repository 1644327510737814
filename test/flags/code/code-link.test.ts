import { expect, test } from "bun:test";
import { createCodeLink } from "../../../src/flags/code/code-references.ts";

const link = (repository: string | null, branch = "main", filePath = "src/a.ts") =>
  createCodeLink(repository, branch)({ filePath, lineNumber: 7, lineContent: "" });

test.each<[repository: string | null, link: string | null]>([
  ["https://github.com/ann/shop", "https://github.com/ann/shop/blob/main/src/a.ts#L7"],
  ["https://github.com/ann/shop.git/", "https://github.com/ann/shop/blob/main/src/a.ts#L7"],
  ["https://github.example.com/ann/shop?a#b", "https://github.example.com/ann/shop/blob/main/src/a.ts#L7"],
  ["https://gitlab.com/a/b/shop", "https://gitlab.com/a/b/shop/-/blob/main/src/a.ts#L7"],
  ["http://gitlab.home:8080/a/shop", "http://gitlab.home:8080/a/shop/-/blob/main/src/a.ts#L7"],
  ["https://gitea.com/ann/shop", "https://gitea.com/ann/shop/src/branch/main/src/a.ts#L7"],
  ["https://codeberg.org/ann/shop", "https://codeberg.org/ann/shop/src/branch/main/src/a.ts#L7"],
  ["https://git.gitea.example/ann/shop", "https://git.gitea.example/ann/shop/src/branch/main/src/a.ts#L7"],
  ["https://example.com/ann/shop", null],
  ["https://notgithub.com/ann/shop", null],
  ["https://github.com/ann", null],
  ["https://github.com/", null],
  ["not an address", null],
  [null, null],
])("a line of %s is at %s", (repository, expected) => {
  expect(link(repository)).toBe(expected);
});

test("a link encodes what stands in names, and keeps their slashes", () => {
  expect(link("https://github.com/ann/shop", "fix/#1", "src/a b?.ts")).toBe(
    "https://github.com/ann/shop/blob/fix/%231/src/a%20b%3F.ts#L7",
  );
});
