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

/** The attributes by which a rule splits readers by weight, anywhere in it: the `targetingKey`, or what a share names. */
export function splittingAttributes(rule: unknown): string[] {
  if (typeof rule !== "object" || rule === null) return [];
  const found = Object.entries(rule).flatMap(([name, args]: [string, unknown]) => {
    if (name !== "fractional" || !Array.isArray(args)) return splittingAttributes(args);
    const [first, ...buckets] = args as unknown[];
    const own = Array.isArray(first) ? ["targetingKey"] : attributesIn(first);
    return [...own, ...splittingAttributes([first, ...buckets])];
  });
  return [...new Set(found)];
}

function attributesIn(rule: unknown): string[] {
  if (typeof rule !== "object" || rule === null) return [];
  if ("var" in rule && typeof rule.var === "string") return rule.var.startsWith("$flagd.") ? [] : [rule.var];
  return Object.values(rule).flatMap(attributesIn);
}

/** A variant with its share of the users in percent, with four decimals, which may not be all of it. */
type Share = { variant: string; percent: string; isExact: boolean };

/** A split of users by weight; null for any other rule. */
export function sharesOf(rule: unknown): Share[] | null {
  const buckets = isObject(rule) && Object.keys(rule).length === 1 ? rule["fractional"] : undefined;
  if (!Array.isArray(buckets) || buckets.length === 0) return null;
  const shares = buckets.map((bucket: unknown) => {
    const [variant, weight = 1] = Array.isArray(bucket) ? (bucket as unknown[]) : [];
    return typeof variant === "string" && typeof weight === "number" && weight >= 0
      ? { variant, weight }
      : null;
  });
  if (!shares.every((share) => share !== null)) return null;
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return null;
  return shares.map(({ variant, weight }) => {
    const exact = (weight / total) * 100;
    const percent = Number(exact.toFixed(4));
    return { variant, percent: String(percent), isExact: Math.abs(exact - percent) < 1e-9 };
  });
}

/** A split of users in the words that `resultOf` reads: `25 %`, or `10 % red, 90 % blue`; null for any other rule. */
export function shareInWords(rule: unknown, variants: FlagRules["variants"]): string | null {
  const shares = sharesOf(rule);
  if (!shares?.every(({ isExact }) => isExact)) return null;
  const states = switchOf(variants);
  const [first, second] = shares;
  const isOfSwitch =
    states !== null && shares.length === 2 && first!.variant === states.on && second!.variant === states.off;
  if (isOfSwitch) return `${first!.percent} %`;
  return shares.map(({ variant, percent }) => `${percent} % ${variant}`).join(", ");
}

/** Characters of the words for what readers get. */
const MAX_RESULT = 8192;

/**
 * The result for the readers of a row: a variant, or a split of them: `25 %` for a flag that is on or off, `10 % red, 90 % blue`
 * for any. Throws `invalid`.
 */
export function resultOf(text: string, variants: FlagRules["variants"]): string | Targeting {
  const words = text.trim();
  if (Object.hasOwn(variants, words)) return words;
  const states = switchOf(variants);
  if (words === "" && states !== null) return states.on;
  if (!words.includes("%") || words.length > MAX_RESULT) throw noSuchVariant(words, variants);
  const parts = words.split(",").map((part) => partOf(part, variants));
  const [only] = parts;
  if (parts.length === 1 && states !== null) return shareOfOne(only!, states);
  const decimals = Math.max(...parts.map(({ percent }) => (percent.split(".")[1] ?? "").length));
  // flagd takes whole numbers only.
  const weights = parts.map(({ percent }) => Math.round(Number(percent) * 10 ** decimals));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total !== 100 * 10 ** decimals)
    throw new AppError("invalid", `${words} is not 100 %`, {
      hint: `write a share for each variant, such as ${exampleOf(variants)}`,
    });
  if (new Set(parts.map(({ variant }) => variant)).size < parts.length)
    throw new AppError("invalid", `${words} names a variant twice`);
  return { fractional: parts.map(({ variant }, at) => [variant!, weights[at]!]) };
}

type Part = { percent: string; variant: string | undefined };

/** `10 % red`. Throws `invalid`. */
function partOf(text: string, variants: FlagRules["variants"]): Part {
  const [, percent, variant = ""] =
    /^\s*(\d{1,3}(?:\.\d{1,4})?)\s?%\s*(?:of\s+users\s+)?(.*)$/s.exec(text) ?? [];
  if (percent === undefined || Number(percent) > 100)
    throw new AppError("invalid", `${text.trim()} is not a share`, {
      hint: `write a percentage from 0 to 100, such as ${exampleOf(variants)}`,
    });
  const name = variant.trim();
  if (name !== "" && !Object.hasOwn(variants, name)) throw noSuchVariant(name, variants);
  if (name === "" && switchOf(variants) === null)
    throw new AppError("invalid", `${text.trim()} names no variant`, {
      hint: `write a share for each, such as ${exampleOf(variants)}`,
    });
  return { percent, variant: name === "" ? undefined : name };
}

/** The rest is the other of the two. */
function shareOfOne({ percent, variant }: Part, { on, off }: { on: string; off: string }): Targeting {
  return variant === off ? shareRule(percent, { on: off, off: on }) : shareRule(percent, { on, off });
}

/** `50 % red, 50 % blue`, or `25 %` for a flag that is on or off. */
function exampleOf(variants: FlagRules["variants"]): string {
  if (switchOf(variants) !== null) return "25 %";
  const names = Object.keys(variants).slice(0, 2);
  return names.map((name) => `${100 / names.length} % ${name}`).join(", ");
}

function noSuchVariant(name: string, variants: FlagRules["variants"]): AppError {
  const names = Object.keys(variants).join(", ");
  return name === ""
    ? new AppError("invalid", "a variant is missing", { hint: `choose one of ${names}` })
    : new AppError("invalid", `${name} is not a variant of the flag`, { hint: `choose one of ${names}` });
}
