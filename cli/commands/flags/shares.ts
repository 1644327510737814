import { hasRule, isShare, rowsOfRule } from "../../../src/flags/rules/rule-rows.ts";
import type { FlagRules } from "../../../src/flags/rules/rules.ts";
import { usage } from "../../session/usage.ts";

type Targeting = NonNullable<FlagRules["targeting"]>;

/**
 * A rule that splits users between true and false; true comes first, so that a growing share keeps the users it has. Throws
 * `invalid`.
 */
export function shareRule(percent: string, variants: FlagRules["variants"]): Targeting {
  const match = /^(\d{1,3})(?:\.(\d{1,4}))?%?$/.exec(percent);
  if (!match || Number.parseFloat(percent) > 100)
    throw usage(
      `--rollout ${percent} is not a share`,
      "write a percentage from 0 to 100, such as 25 or 12.5, or none to end the rollout",
    );
  const entries = Object.entries(variants);
  const on = entries.find(([, value]) => value === true)?.[0];
  const off = entries.find(([, value]) => value === false)?.[0];
  if (entries.length !== 2 || on === undefined || off === undefined)
    throw usage(
      "--rollout is for a flag with two variants, true and false",
      `write the shares with --targeting, such as ${sharesOf(Object.keys(variants))}`,
    );
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

function sharesOf(names: string[]): string {
  return `'${JSON.stringify({ fractional: names.map((name) => [name, 1]) })}'`;
}

/** Removes the rollout of a rule: returns the conditions before it, or null. Throws `invalid` for a rule without one. */
export function withoutShare(targeting: FlagRules["targeting"]): Targeting | null {
  if (!hasRule(targeting) || isShare(targeting)) return null;
  const { rows, rest } = rowsOfRule(targeting) ?? {};
  if (!rows || !isShare(rest))
    throw usage("the rule of this flag is not a rollout", "--targeting none removes the whole rule");
  return rows.length === 0 ? null : { if: rows.flatMap(({ condition, result }) => [condition, result]) };
}
