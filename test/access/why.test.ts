import { describe, expect, test } from "bun:test";
import { MAX_WHY, readWhy } from "../../src/access/why.ts";
import { AppError } from "../../src/base/errors.ts";

describe("the reason for a change", () => {
  test("is a line of text without spaces around it, and none where it is empty", () => {
    expect(readWhy("  the checkout is slow – 日本 🎉 ")).toBe("the checkout is slow – 日本 🎉");
    expect([readWhy(""), readWhy(" \n\t ")]).toEqual([undefined, undefined]);
    expect(readWhy("x".repeat(MAX_WHY))).toHaveLength(MAX_WHY);
  });

  test.each(["x".repeat(MAX_WHY + 1), "two\nlines", "a\u0000b", "a\u001b[31mb", "a\u0085b", "a\ud800b"])(
    "is refused where it is too long or not one line of text: %j",
    (text) => expect(() => readWhy(text)).toThrow(AppError),
  );
});
