import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  type Assigned,
  ASSIGNMENT_LIFETIME,
  createAssignments,
  fits,
  MAX_ASSIGNMENT,
} from "../../src/experiments/assignment.ts";

const NOW = Date.parse("2026-01-02T03:04:05.678Z");
const MINUTE = 60_000;
const { pseudonymOf, sign, read } = createAssignments("a secret");
const other = createAssignments("another secret");

const KEY = "abcd-efgh-ijkl";
const pseudonym = pseudonymOf(KEY, "u1");
const hero = { environmentKey: KEY, pseudonym, variants: [["hero", "b"]] as Assigned[] };

describe("an assignment", () => {
  test("is read as it was signed, with its minute, for any variants", () => {
    const names = fc.string({ unit: "grapheme", maxLength: 40 });
    const variants = fc.array(fc.tuple(names, names), { maxLength: 10 });
    fc.assert(
      fc.property(variants, fc.option(fc.constant(pseudonym)), (variants, pseudonym) => {
        const signed = sign({ environmentKey: KEY, pseudonym, variants }, NOW);
        const at = Date.parse("2026-01-02T03:04:00.000Z");
        expect(read(signed, NOW)).toEqual({ environmentKey: KEY, at, pseudonym, variants });
      }),
    );
  });

  test("takes 80 characters for a flag and 368 for ten", () => {
    const ten = Array.from({ length: 10 }, (_, index): Assigned => [`headline-${index}`, "control"]);
    expect(sign(hero, NOW).length).toBeLessThanOrEqual(80);
    expect(sign({ ...hero, variants: ten }, NOW).length).toBeLessThanOrEqual(368);
  });

  test("is valid for seven days, and from a clock that is five minutes ahead", () => {
    const signed = sign(hero, NOW);
    const at = read(signed, NOW)!.at;
    expect(read(signed, at + ASSIGNMENT_LIFETIME)).not.toBeNull();
    expect(read(signed, at + ASSIGNMENT_LIFETIME + 1)).toBeNull();
    expect(read(signed, at - 5 * MINUTE)).not.toBeNull();
    expect(read(signed, at - 5 * MINUTE - 1)).toBeNull();
  });

  test("is not valid with any bit changed, with another secret, and as any other text", () => {
    const signed = sign(hero, NOW);
    const bytes = Buffer.from(signed, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(read(changed.toString("base64url"), NOW)).toBeNull();
    }
    expect(other.read(signed, NOW)).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => expect(read(text, NOW)).toBeNull()));
    for (const text of ["", signed.slice(0, 20), `${signed}=`, ` ${signed}`, `${signed}A`, "A".repeat(5000)])
      expect(read(text, NOW)).toBeNull();
  });

  test("names no key of a visitor, who has a pseudonym in each environment", () => {
    expect(pseudonym).toMatch(/^[0-9a-f]{16}$/);
    expect(pseudonymOf(KEY, "u1")).toBe(pseudonym);
    const others = [
      pseudonymOf(KEY, "u2"),
      pseudonymOf("zzzz-efgh-ijkl", "u1"),
      other.pseudonymOf(KEY, "u1"),
    ];
    expect(new Set([pseudonym, ...others]).size).toBe(4);
  });

  test("that would be too long keeps the first variants, as many as fit", () => {
    const many = Array.from({ length: 200 }, (_, index): Assigned => [`flag-${index}`, "ä".repeat(20)]);
    const full = sign({ ...hero, variants: many }, NOW);
    expect(full.length).toBeLessThanOrEqual(MAX_ASSIGNMENT);
    expect([fits({ ...hero, variants: many }), fits(read(full, NOW)!), fits(hero)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(read(full, NOW)!.variants).toEqual(many.slice(0, read(full, NOW)!.variants.length));
    expect(read(full, NOW)!.variants.length).toBeGreaterThan(50);
  });
});
