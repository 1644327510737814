import { describe, expect, test } from "bun:test";
import { base32, bytesOfBase32 } from "../../../src/access/factors/base32.ts";
import { recoveryCodes, typedRecoveryCode } from "../../../src/access/factors/recovery.ts";
import { stepOfCode, totpCode, totpStep, totpUrl, typedCode } from "../../../src/access/factors/totp.ts";
import { random } from "../../support/records/records.ts";

const KEY = Buffer.from("12345678901234567890");

describe("a code", () => {
  test.each([
    [59, "94287082"],
    [1111111109, "07081804"],
    [1111111111, "14050471"],
    [1234567890, "89005924"],
    [2000000000, "69279037"],
    [20000000000, "65353130"],
  ])("of second %d ends as that of RFC 6238, appendix B", (seconds, code) => {
    expect(totpCode(KEY, totpStep(seconds * 1000))).toBe(code.slice(-6));
  });

  test("of a counter is that of RFC 4226, appendix D", () => {
    const codes = "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489".split(" ");
    expect(codes.map((_, counter) => totpCode(KEY, counter))).toEqual(codes);
  });

  test("counts a step before and after its own, and never at or before the last one", () => {
    const now = 1_700_000_000_000;
    const step = totpStep(now);
    const found = (of: number, last: number) => stepOfCode(KEY, totpCode(KEY, of), now, last);
    for (const near of [step - 1, step, step + 1]) {
      expect(found(near, -1)).toBe(near);
      expect(found(near, near - 1)).toBe(near);
      expect(found(near, near)).toBeNull();
    }
    for (const far of [step - 2, step + 2, 0]) expect(found(far, -1)).toBeNull();
  });

  test("may be typed with spaces, and is six digits", () => {
    expect(typedCode(" 123 456\n")).toBe("123456");
    for (const text of ["", "12345", "1234567", "12345a", "١٢٣٤٥٦", "-12345", `123456${" ".repeat(1000)}7`])
      expect(typedCode(text)).toBe(text.startsWith("123456 ") ? "123456" : null);
  });
});

test("The address of a key has what every app needs", () => {
  const url = new URL(totpUrl(KEY, "ann", "flags.example.com"));
  expect(url.href).toStartWith("otpauth://totp/formflag%3Aann%40flags.example.com?");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
    issuer: "formflag",
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
});

test("Base32 is that of RFC 4648, and is read back", () => {
  expect(base32(Buffer.from("fooba"))).toBe("mzxw6ytb");
  for (let tries = 0; tries < 100; tries += 1) {
    const bytes = random(20);
    expect(Buffer.from(bytesOfBase32(base32(bytes))!)).toEqual(Buffer.from(bytes));
  }
  for (const text of ["a0", "A", "a=", "é"]) expect(bytesOfBase32(text)).toBeNull();
});

test("Recovery codes are ten that differ, and may be typed in capitals, without the dash, with spaces", () => {
  const codes = recoveryCodes(random);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) {
    expect(code).toMatch(/^[a-z2-7]{5}-[a-z2-7]{5}$/);
    for (const typed of [code, code.toUpperCase(), code.replace("-", ""), ` ${code.replace("-", " ")} `])
      expect(typedRecoveryCode(typed)).toBe(code);
  }
  for (const text of ["", "abcde", "abcde-abcd1", "abcde-abcdef", "123456"])
    expect(typedRecoveryCode(text)).toBeNull();
});
