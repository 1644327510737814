import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { hasRule, isShare, rowsOfRule } from "./rule-rows.ts";
import type { FlagRules } from "./rules.ts";

type Targeting = NonNullable<FlagRules["targeting"]>;

/** The variants of a flag that is on or off: the names of true and of false; null for a flag with others. */
export function switchOf(variants: FlagRules["variants"]): { on: string; off: string } | null {
  const entries = Object.entries(variants);
  const on = entries.find(([, value]) => value === true)?.[0];
  const off = entries.find(([, value]) => value === false)?.[0];
  return entries.length === 2 && on !== undefined && off !== undefined ? { on, off } : null;
}

/**
 * A rule that splits users between true and false; true comes first, so that a growing share keeps the users it has. Throws
 * `invalid` for a text that is no percentage.
 */
export function shareRule(percent: string, { on, off }: { on: string; off: string }): Targeting {
  const match = /^(\d{1,3})(?:\.(\d{1,4}))?\s?%?$/.exec(percent);
  if (!match || Number.parseFloat(percent) > 100)
    throw new AppError("invalid", `${percent} is not a share`, {
      hint: "write a percentage from 0 to 100, such as 25 or 12.5, or none to end the rollout",
    });
  // flagd takes whole numbers only.
  const decimals = (match[2] ?? "").replace(/0+$/, "");
  const weight = Number(match[1]! + decimals);
  return {
    fractional: [
      [on, weight],
      [off, 100 * 10 ** decimals.length - weight],
    ],
  };
}

/** Conditions with their variants, in the order of a rule, up to what everyone else gets: empty for a rule of another kind. */
export function rowsBeforeShare(targeting: FlagRules["targeting"]): unknown[] {
  if (!hasRule(targeting)) return [];
  const { rows, rest } = rowsOfRule(targeting) ?? {};
  if (!rows || (isObject(rest) && !isShare(rest))) return [];
  return rows.flatMap(({ condition, result }) => [condition, result]);
}

/** Removes the share of a rule: returns the conditions before it, or null. Undefined for a rule without one. */
export function withoutShare(targeting: FlagRules["targeting"]): Targeting | null | undefined {
  if (!hasRule(targeting) || isShare(targeting)) return null;
  if (!isShare(rowsOfRule(targeting)?.rest)) return undefined;
  const rows = rowsBeforeShare(targeting);
  return rows.length === 0 ? null : { if: rows };
}

/** Whether a rule splits users by weight anywhere. */
export function hasShare(targeting: unknown): boolean {
  return /"fractional":/.test(JSON.stringify(targeting) ?? "");
}
